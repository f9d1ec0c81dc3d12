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
  try {
    const all = JSON.parse(localStorage.getItem(NAME) ?? "[]");
    return Array.isArray(all) ? all.filter((note) => note && typeof note.id === "string") : [];
  } catch (error) {
    console.warn("What was remembered cannot be read.", error);
    return [];
  }
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
  write(all.slice(-MOST));
}

/**
 * Drops a note.
 * @param {string} id
 */
export function forget(id) {
  write(notes().filter((note) => note.id !== id));
}

/** @param {Note[]} all */
function write(all) {
  try {
    localStorage.setItem(NAME, JSON.stringify(all));
  } catch (error) {
    // Storage is full or forbidden: the page works, a reload just forgets.
    console.warn("This page will not remember its photos.", error);
  }
}
