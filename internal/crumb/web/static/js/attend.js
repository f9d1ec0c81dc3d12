import {RequestError} from "./errors.js";
import {count} from "./format.js";
import {persistently} from "./retry.js";

/** What a person reads of a failure that may pass. */
const TROUBLE = {busy: "busy", offline: "no connection", trouble: "trouble on our side"};

/**
 * @param {import("./errors.js").Kind} kind
 * @param {number} seconds
 */
export function retrying(kind, seconds) {
  const what = TROUBLE[kind];
  return `${what.charAt(0).toUpperCase()}${what.slice(1)}, retrying in ${count(seconds, "second")}`;
}

/**
 * Says when to come back to what the page has given up.
 * @param {Date} [comeBack]
 * @param {number} [now] milliseconds
 */
export function later(comeBack, now = Date.now()) {
  if (!comeBack || comeBack - now < 60_000) return "Try again when you like.";
  const minute = new Date(Math.ceil(comeBack.getTime() / 60_000) * 60_000);
  const time = {hour: "2-digit", minute: "2-digit", hourCycle: "h23"};
  // From half a day on, the time alone may be that of another day.
  const day = comeBack - now < 12 * 3_600_000 ? {} : {day: "numeric", month: "long", year: "numeric"};
  return `Try again after ${minute.toLocaleString([], {...day, ...time})}.`;
}

/** @param {import("./errors.js").Kind} kind */
export const paused = (kind) => `Still ${TROUBLE[kind]}`;

/**
 * Sends a request until it is answered, and shows how that goes: "Busy, retrying
 * in 30 seconds". When it has waited often enough, a button goes on. What
 * repeating can't mend is thrown.
 * @template T
 * @param {import("./status.js").Status} status
 * @param {() => Promise<T>} attempt
 * @param {{signal: AbortSignal, doing?: string, kept?: string, onGiveUp?: () => void}} how doing is
 *   shown while it is sent; kept says what is not lost while it waits; onGiveUp keeps it
 *   when the page stops trying
 * @returns {Promise<T>}
 */
export async function attend(status, attempt, {signal, doing, kept = "", onGiveUp}) {
  for (;;) {
    try {
      return await persistently(attempt, {
        signal,
        onAttempt: () => { if (doing) status.show({title: doing, bar: null}); },
        onWait: (kind, seconds) => status.show({tone: "wait", title: retrying(kind, seconds), note: kept}),
      });
    } catch (error) {
      if (!(error instanceof RequestError && error.temporary)) throw error;
      onGiveUp?.();
      await status.ask({tone: "wait", title: paused(error.kind), note: `${kept} ${later(error.comeBack)}`.trim()}, "Try again", signal);
    }
  }
}

/**
 * @param {string} [next] where to go from there; default: back
 * @returns {{text: string, href: string}} the way to sign in
 */
export function signIn(next = location.pathname + location.search) {
  return {text: "Sign in", href: `/signin?next=${encodeURIComponent(next)}`};
}

/**
 * Says what a person reads of a failure that repeating does not mend.
 * @param {any} error
 * @param {{title: string, kept?: string, next?: string}} words title names what was not done,
 *   next where to go on after signing in again
 * @returns {import("./status.js").View}
 */
export function failure(error, {title, kept = "", next}) {
  if (error.status === 401) return {tone: "wait", title: "You are signed out", note: kept || "Sign in, and go on from here.", link: signIn(next)};
  if (!(error instanceof RequestError)) {
    console.error(error);
    return {tone: "bad", title, note: `The page failed. Reload it and try again. ${kept}`.trim()};
  }
  return {tone: "bad", title, note: `${sentence(error.message)} ${kept}`.trim()};
}

/** Writes the API's detail as a sentence. */
function sentence(detail) {
  const text = detail.charAt(0).toUpperCase() + detail.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
