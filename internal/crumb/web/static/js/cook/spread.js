import {attend, failure} from "../attend.js";
import {at, make} from "../dom.js";
import {follow} from "../follow.js";
import {cardOf, drop, notes, run} from "../publications.js";
import {settled, viewOf} from "../publicationview.js";
import {picture, recipeCard} from "../recipecard.js";
import {Status} from "../status.js";

/**
 * Puts a recipe that is on its way at the top of a list, from the data just sent,
 * and says how it fares. Where the server does not take it, it is taken back.
 * @param {import("../publications.js").Note} note
 * @param {{list: HTMLElement, signal: AbortSignal}} options
 */
export async function spread(note, {list, signal}) {
  const card = recipeCard(cardOf(note));
  const status = statusOf(card);
  list.prepend(card);
  const patient = (doing) => (attempt) => attend(status, attempt, {signal, doing, kept: "Your recipe is kept."});
  try {
    await run(note, {
      signal, send: patient("Publishing"), persist: patient(),
      onPublished: ({recipe}) => {
        link(card, recipe);
        onlyOne(card);
      },
      onLook: ({progress, photo}) => {
        if (progress) status.show(viewOf(progress, photo));
        if (photo?.state === "done" && !card.querySelector(".picture-image")) {
          card.querySelector(".picture").replaceWith(picture(note.content.photo_key));
        }
      },
    });
  } catch (error) {
    if (!signal.aborted) takeBack(note, card, error);
  }
}

/**
 * Shows on a card how a publication fares that the server lists already.
 * @param {HTMLElement} card
 * @param {any} entry the API's
 * @param {AbortSignal} signal
 */
export async function watch(card, {id, progress}, signal) {
  if (!progress || settled(progress)) return;
  const status = statusOf(card);
  status.show(viewOf(progress));
  try {
    await follow(`/api/recipes/${encodeURIComponent(id)}`, {
      signal, persist: (attempt) => attend(status, attempt, {signal}),
      onLook: (recipe) => { if (recipe.progress) status.show(viewOf(recipe.progress)); },
      until: (recipe) => !recipe.progress || settled(recipe.progress),
    });
  } catch (error) {
    if (!signal.aborted) status.show(failure(error, {title: "How it fares could not be seen"}));
  }
}

function statusOf(card) {
  const place = make("div");
  card.querySelector(".card-body").append(place);
  return new Status(place);
}

function link(card, recipe) {
  card.dataset.id = recipe;
  const name = card.querySelector(".card-name");
  if (name.querySelector("a")) return;
  name.replaceChildren(make("a", {class: "cover", href: `/recipes/${encodeURIComponent(recipe)}`, text: name.textContent}));
}

/** Takes the server's own card of the same recipe away, and the draft that it was. */
function onlyOne(card) {
  for (const other of document.querySelectorAll(`[data-id="${CSS.escape(card.dataset.id)}"]`)) {
    if (other !== card) other.remove();
  }
  at("unpublished-part").hidden = !at("unpublished").children.length;
}

/** Takes a recipe off the profile that the server did not take. The text is kept. */
function takeBack(note, card, error) {
  const latest = notes().find(({id}) => id === note.id) ?? note;
  drop(latest);
  // Published is published: what failed is looking at it.
  if (latest.step === "spread") return statusOf(card).show(failure(error, {title: "How it fares could not be seen"}));
  card.remove();
  const place = make("div");
  at("taken-back").append(place);
  const edit = latest.recipe ? `/recipes/${encodeURIComponent(latest.recipe)}/edit` : "/publish";
  new Status(place).show({
    link: {text: "Back to what you wrote", href: edit},
    ...failure(error, {title: `“${note.content.title}” was not published`, kept: "What you wrote is kept.", next: edit}),
  });
}
