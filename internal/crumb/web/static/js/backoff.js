/**
 * How long to wait before a request is repeated: exponential with full jitter,
 * so that pages which were refused together do not come back together.
 */

/** The bound of the first wait, in seconds. */
const BASE = 1;
/** The bound of the longest wait, in seconds. */
const CAP = 30;

/** How often a request is repeated before a person is asked. */
export const BUDGET = 8;

/**
 * Gives the wait before a repetition, in seconds.
 *
 * The server's Retry-After is a floor: the jitter comes on top of it.
 * @param {number} repetition how many have gone before: 0 for the first
 * @param {number} [retryAfter] what the server asked for, in seconds
 * @param {() => number} [random] gives a number in [0, 1)
 * @returns {number}
 */
export function waitBefore(repetition, retryAfter = 0, random = Math.random) {
  const bound = Math.min(CAP, BASE * 2 ** repetition);
  return retryAfter + random() * bound;
}

/**
 * Reads a Retry-After header (RFC 9110, 10.2.3): seconds, or a date.
 * @param {string | null} header
 * @param {number} [now] milliseconds
 * @returns {number | undefined} seconds, or undefined if it says nothing
 */
export function parseRetryAfter(header, now = Date.now()) {
  if (header === null) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header);
  const at = /GMT\s*$/.test(header) ? Date.parse(header) : NaN; // parse takes anything for a date
  return Number.isNaN(at) ? undefined : Math.max(0, (at - now) / 1000);
}

/** Seconds before the second look at something, where the server names none. */
const LOOK = 1;
/** Seconds between looks after a while. */
const SLOW = 10;

/**
 * Gives the wait before the next look at something that takes its time, in
 * seconds: what the server asked for, or longer each time. A little jitter on top
 * keeps pages that were opened together from asking together.
 * @param {number} look how many have gone before, less one
 * @param {number} [retryAfter]
 * @param {() => number} [random]
 */
export function steadily(look, retryAfter, random = Math.random) {
  const wait = retryAfter ?? Math.min(SLOW, LOOK * 1.3 ** look);
  return wait * (1 + random() / 10);
}
