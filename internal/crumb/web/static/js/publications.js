import {request} from "./api.js";
import {randomID} from "./format.js";
import {follow} from "./follow.js";
import {settled} from "./publicationview.js";
import {tab} from "./storage.js";

/**
 * A recipe on its way from the author's form to everybody. It is kept in the tab
 * until everyone has it: the profile shows it before the server has answered, and
 * a reload goes on where it was.
 * @typedef {object} Note
 * @property {string} id the page's own, and the Idempotency-Key
 * @property {any} content what the author sent
 * @property {{id: string, name: string}} author
 * @property {string} at when, RFC 3339
 * @property {string} draft under which name the text is kept
 * @property {string} [recipe] its id, once the server has it
 * @property {number} [version]
 * @property {"send" | "publish" | "spread"} step what is to be done next
 */

const NAME = "crumb.publications";

/** @returns {Note[]} the newest first */
export function notes() {
  const all = tab.get(NAME);
  return Array.isArray(all) ? all.filter((note) => note?.id && note.content) : [];
}

/**
 * Takes a recipe down for publication.
 * @param {Omit<Note, "id" | "at" | "step">} publication
 */
export function take(publication) {
  tab.set(NAME, [{...publication, id: randomID(), at: new Date().toISOString(), step: "send"}, ...notes()]);
}

/** @param {Note} note */
export function drop(note) {
  tab.set(NAME, notes().filter(({id}) => id !== note.id));
}

/**
 * What lists show of it, from the data just sent.
 * @param {Note} note
 */
export function cardOf({recipe, content, author, at}) {
  const minutes = content.steps.reduce((sum, step) => sum + (step.minutes ?? 0), 0);
  return {
    id: recipe, title: content.title, summary: content.summary, minutes, photo_key: content.photo_key,
    author: author.id, author_name: author.name, published_at: at,
  };
}

/**
 * Takes a publication on from where it is, until everybody has it.
 * @param {Note} note
 * @param {object} options
 * @param {AbortSignal} options.signal
 * @param {(attempt: () => Promise<any>) => Promise<any>} options.send repeats what fails
 * @param {(attempt: () => Promise<any>) => Promise<any>} options.persist the same, for looks
 * @param {(note: Note) => void} options.onPublished the server has it
 * @param {(recipe: any) => void} options.onLook
 */
export async function run(note, {signal, send, persist, onPublished, onLook}) {
  const step = (more) => {
    note = {...note, ...more};
    tab.set(NAME, notes().map((other) => (other.id === note.id ? note : other)));
  };
  if (note.step === "send") {
    const {id, version} = await save(note, {signal, send});
    step({step: "publish", recipe: id, version});
  }
  const path = `/api/recipes/${encodeURIComponent(note.recipe)}`;
  if (note.step === "publish") {
    await send(() => request("POST", `${path}/publish`, {signal, key: `${note.id}-publish`}));
    step({step: "spread"});
    tab.set(note.draft, null);
  }
  onPublished(note);
  await follow(path, {signal, persist, onLook, until: ({progress, photo}) => !progress || settled(progress, photo)});
  drop(note);
}

/**
 * Saves what an author wrote: a new draft, or a change to what there is.
 * @param {{id: string, recipe?: string, version?: number, content: any}} note id is the
 *   Idempotency-Key of a new one
 * @param {{signal: AbortSignal, send: (attempt: () => Promise<any>) => Promise<any>}} how
 * @returns {Promise<any>} the recipe
 */
export async function save({id, recipe, version, content}, {signal, send}) {
  const answer = await send(() => recipe
    ? request("PUT", `/api/recipes/${encodeURIComponent(recipe)}`, {signal, body: {version, ...content}})
    : request("POST", "/api/recipes", {signal, key: id, body: content}));
  return answer.body;
}
