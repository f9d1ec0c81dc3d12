import {request} from "./api.js";
import {steadily} from "./backoff.js";
import {pause, visible} from "./wait.js";

/** The states in which a job or an export has ended. */
const FINAL = new Set(["done", "dead", "cancelled"]);

/** @param {{state: string}} work */
export const ended = ({state}) => FINAL.has(state);

/**
 * Looks at something until it has ended, as often as the server asks: what has
 * not changed is not sent again (ETag, 304), and nobody looks from a tab that
 * nobody sees.
 * @param {string} path
 * @param {object} options
 * @param {AbortSignal} options.signal
 * @param {(body: any) => void} options.onLook called after each look
 * @param {(send: () => Promise<any>) => Promise<any>} options.persist repeats what fails
 *   for a while
 * @param {(body: any) => boolean} [options.until] default: a job that has ended
 * @returns {Promise<any>} how it ended
 */
export async function follow(path, {signal, onLook, persist, until = ended}) {
  let body = null, etag = null;
  for (let look = 0; ; look++) {
    await visible(signal);
    const answer = await persist(() => request("GET", path, {etag, signal}));
    if (answer.status !== 304) {
      body = answer.body;
      etag = answer.etag;
    }
    onLook(body);
    if (until(body)) return body;
    await pause(steadily(look, answer.retryAfter), signal);
  }
}

/** @param {string} id a job's */
export const pathOf = (id) => `/jobs/${encodeURIComponent(id)}`;

/**
 * Asks that a job be cancelled. A job that has ended meanwhile is no error.
 * @param {string} id
 * @param {AbortSignal} signal
 */
export async function cancel(id, signal) {
  try {
    await request("DELETE", pathOf(id), {signal});
  } catch (error) {
    if (error.status !== 409) throw error;
  }
}
