import {browser} from "../storage.js";

/**
 * Remembers photos across a reload, in the browser. Not their pixels: what they
 * were called and which jobs they became.
 * @typedef {object} Note
 * @property {string} id the page's own
 * @property {string} name
 * @property {number} bytes
 * @property {string} [key] where the upload lies
 * @property {string} [jobKey] the Idempotency-Key of its job
 * @property {string} [job] the job's id
 */

const NAME = "crumb.photos";
const MOST = 60;

/** @returns {Note[]} the oldest first */
export function notes() {
  const all = browser.get(NAME);
  return Array.isArray(all) ? all.filter((note) => note && typeof note.id === "string") : [];
}

/**
 * Writes a note down, or replaces it.
 * @param {Note} note
 */
export function remember(note) {
  const all = notes();
  const at = all.findIndex(({id}) => id === note.id);
  if (at < 0) all.push(note);
  else all[at] = note;
  browser.set(NAME, all.slice(-MOST));
}

/**
 * Drops a note.
 * @param {string} id
 */
export function forget(id) {
  browser.set(NAME, notes().filter((note) => note.id !== id));
}
