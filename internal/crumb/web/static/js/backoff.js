/**
 * How long to wait before a request is repeated: exponential with full jitter,
 * so that pages which were refused together do not come back together.
 */

/** The bound of the first wait, in seconds. */
const BASE = 1;
/** The bound of the longest wait, in seconds. */
const CAP = 30;

/** How often a request is repeated before a person is asked. */
const REPETITIONS = 8;
/** The longest wait, in seconds, that a server may ask of a page: who is told to wait longer is told so. */
const LONGEST = 300;

/**
 * Bounds the repetitions that no server asked for, so that a page which sends a lot is
 * no storm: in t minutes with n requests at most FLOOR × (1 + t) + SHARE × n.
 */
export class Budget {
  static FLOOR = 20;
  static SHARE = 0.1;
  #tokens = Budget.FLOOR;
  #filled;
  #now;

  /** @param {() => number} [now] milliseconds */
  constructor(now = () => performance.now()) {
    this.#now = now;
    this.#filled = now();
  }

  /** Counts a request, and not its repetitions. */
  sent() {
    this.#add(Budget.SHARE);
  }

  /** Takes one repetition, if there is one. */
  spend() {
    const now = this.#now();
    this.#add(Budget.FLOOR * Math.max(0, now - this.#filled) / 60_000);
    this.#filled = now;
    if (this.#tokens < 1 - 1e-9) return false;
    this.#tokens--;
    return true;
  }

  #add(tokens) {
    this.#tokens = Math.min(Budget.FLOOR, this.#tokens + tokens);
  }
}

/**
 * Says what follows a request that failed for now. A repetition at a time that the
 * server has named takes nothing from the budget; all others do.
 * @param {number} repetition how many have gone before
 * @param {number} [retryAfter] what the server asked for, in seconds
 * @param {Budget} budget of all requests of the page
 * @param {() => number} [random]
 * @returns {{again: boolean, seconds: number}} seconds until the next one, or, where
 *   there is none, until a person may come back
 */
export function next(repetition, retryAfter = 0, budget, random = Math.random) {
  const again = repetition < REPETITIONS && retryAfter <= LONGEST && (retryAfter > 0 || budget.spend());
  return {again, seconds: waitBefore(again ? repetition : REPETITIONS, retryAfter, random)};
}

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

/** A year, in seconds: the longest that a server can say. Dates and timers end somewhere. */
const YEAR = 365 * 24 * 3600;

/**
 * Reads a Retry-After header (RFC 9110, 10.2.3): seconds, or a date.
 * @param {string | null} header
 * @param {number} [now] milliseconds
 * @returns {number | undefined} seconds, a year at most, or undefined if it says nothing
 */
export function parseRetryAfter(header, now = Date.now()) {
  if (header === null) return undefined;
  if (/^\d+$/.test(header.trim())) return Math.min(Number(header), YEAR);
  const at = /GMT\s*$/.test(header) ? Date.parse(header) : NaN; // parse takes anything for a date
  return Number.isNaN(at) ? undefined : Math.min(Math.max(0, (at - now) / 1000), YEAR);
}

/** Seconds before the second look at something, where the server names none. */
const LOOK = 1;
/** Seconds between looks after a while. */
const SLOW = 10;
/** Seconds between looks at least, whatever the server says. */
const LEAST = 0.1;

/**
 * Gives the wait before the next look at something that takes its time, in
 * seconds: what the server asked for, or longer each time. A little jitter on top
 * keeps pages that were opened together from asking together.
 * @param {number} look how many have gone before, less one
 * @param {number} [retryAfter]
 * @param {() => number} [random]
 */
export function steadily(look, retryAfter, random = Math.random) {
  const wait = Math.max(LEAST, retryAfter ?? Math.min(SLOW, LOOK * 1.3 ** look));
  return wait * (1 + random() / 10);
}
