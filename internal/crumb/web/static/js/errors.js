/**
 * What can go wrong with a request. The kind decides what the page does:
 *
 * - "busy": the server has no room (429, 503). Repeat.
 * - "offline": no answer came. Repeat.
 * - "trouble": the server failed (other 5xx). Repeat.
 * - "expired": the upload's URL no longer works. Ask for another.
 * - "refused": repeating is of no use.
 * @typedef {"busy" | "offline" | "trouble" | "expired" | "refused"} Kind
 */

/** An answer that is no success, or none at all. */
export class RequestError extends Error {
  /**
   * @param {Kind} kind
   * @param {string} message for the person
   * @param {{status?: number, retryAfter?: number, cause?: unknown}} [more] retryAfter in seconds
   */
  constructor(kind, message, {status = 0, retryAfter, cause} = {}) {
    super(message, {cause});
    this.name = "RequestError";
    this.kind = kind;
    this.status = status;
    this.retryAfter = retryAfter;
    /** @type {Date | undefined} when to try again, once the page has given up */
    this.comeBack = undefined;
  }

  /** Whether the same request may succeed later. */
  get temporary() {
    return this.kind === "busy" || this.kind === "offline" || this.kind === "trouble";
  }
}

/**
 * Tells what kind of failure a status is.
 * @param {number} status 400 or more
 * @returns {Kind}
 */
export function kindOf(status) {
  if (status === 429 || status === 503) return "busy";
  if (status === 408 || status >= 500) return "trouble";
  return "refused";
}
