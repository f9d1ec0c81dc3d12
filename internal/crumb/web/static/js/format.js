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
 * Counts things: "1 photo", "2 photos".
 * @param {number} n
 * @param {string} thing
 */
export function count(n, thing) {
  return `${n} ${thing}${n === 1 ? "" : "s"}`;
}

/**
 * Writes a word with a capital.
 * @param {string} word
 */
export function capital(word) {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** Draws an id that nobody can guess. It works without https, too. */
export function randomID() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
