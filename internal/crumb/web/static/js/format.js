/**
 * Writes a number of bytes as people read it: "840 B", "12 KB", "3.4 MB".
 * @param {number} bytes
 */
export function size(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 999_500) return `${Math.round(bytes / 1000)} KB`;
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

/**
 * Counts things: "1 photo", "2,000 photos".
 * @param {number} n
 * @param {string} thing
 * @param {string} [things] more of them
 */
export function count(n, thing, things = `${thing}s`) {
  return `${n.toLocaleString("en-GB")} ${n === 1 ? thing : things}`;
}

/**
 * Writes a word with a capital.
 * @param {string} word
 */
export function capital(word) {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/**
 * Writes a day: "29 November 2026".
 * @param {string} time RFC 3339
 */
export function day(time) {
  return new Date(time).toLocaleDateString("en-GB", {day: "numeric", month: "long", year: "numeric"});
}

/**
 * Writes a time to the minute: "29 November 2026 at 18:30".
 * @param {string} time RFC 3339
 */
export function moment(time) {
  return new Date(time).toLocaleString("en-GB", {day: "numeric", month: "long", year: "numeric", hour: "2-digit", minute: "2-digit"});
}

/** Draws an id that nobody can guess. It works without https, too. */
export function randomID() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
