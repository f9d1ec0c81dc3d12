import {Card} from "../photos/card.js";
import {announce, at} from "../dom.js";
import {count, randomID} from "../format.js";
import {Gate} from "../gate.js";
import {notes} from "../photos/memory.js";
import {Photo} from "../photos/photo.js";
import {listen} from "../picker.js";
import {viewOf} from "../photos/words.js";
import {start} from "../shell.js";

/** Uploads side by side. */
const UPLOADS = 3;

const [shelf, cards, tally, template, input] = ["shelf", "cards", "tally", "card", "files"].map(at);
const gate = new Gate(UPLOADS);
/** @type {Map<Photo, {card: Card, told: string}>} */
const shown = new Map();

/** Puts a photo on the page and sets it going. */
function add(note, file) {
  const photo = new Photo(note, file, {gate, onChange: show});
  const card = new Card(template, photo, (action) => {
    if (action === "remove") remove(photo);
    else photo[action]();
  });
  shown.set(photo, {card, told: ""});
  cards.prepend(card.element);
  photo.start();
}

function show(photo) {
  const entry = shown.get(photo);
  if (!entry) return;
  const view = viewOf(photo);
  entry.card.render(view, photo.state);
  const told = view.news ? `${photo.note.name}: ${view.title}. ${view.note}` : "";
  if (told && told !== entry.told) announce(told);
  entry.told = told;
  summarise();
}

function summarise() {
  const done = [...shown.keys()].filter(({state}) => state.phase === "done").length;
  shelf.hidden = shown.size === 0;
  tally.textContent = `${done} of ${count(shown.size, "photo")} done`;
}

function remove(photo) {
  const {card} = shown.get(photo);
  const neighbour = card.element.nextElementSibling ?? card.element.previousElementSibling;
  photo.dispose();
  card.dispose();
  shown.delete(photo);
  card.element.remove();
  summarise();
  (neighbour ?? input).focus();
}

listen({box: at("picker"), input}, (files) => {
  for (const file of files) {
    const note = {id: randomID(), name: file.name, bytes: file.size};
    add(note, file);
  }
});

// A photo whose upload had not ended is not remembered: its pixels are gone.
for (const note of notes()) {
  if (note.key) add(note, null);
}

// Photos need nobody to be signed in: the header may come when it comes.
start(async () => {});

window.addEventListener("beforeunload", (event) => {
  if ([...shown.keys()].some((photo) => photo.fragile)) event.preventDefault();
});
