import {Budget, next} from "./backoff.js";
import {RequestError} from "./errors.js";
import {pause} from "./wait.js";

/** That of all requests of the page. */
const budget = new Budget();

/**
 * Repeats a request while its failures are temporary, as often as the page may. The
 * last error is thrown, and says when a person may come back; any other is at once.
 * @template T
 * @param {() => Promise<T>} attempt
 * @param {object} options
 * @param {AbortSignal} options.signal
 * @param {(kind: import("./errors.js").Kind, secondsLeft: number) => void} options.onWait
 *   called each second of a wait
 * @param {() => void} [options.onAttempt] called before each attempt
 * @returns {Promise<T>}
 */
export async function persistently(attempt, {signal, onWait, onAttempt}) {
  budget.sent();
  for (let repetition = 0; ; repetition++) {
    try {
      onAttempt?.();
      return await attempt();
    } catch (error) {
      if (!(error instanceof RequestError && error.temporary)) throw error;
      const {again, seconds} = next(repetition, error.retryAfter, budget);
      if (!again) {
        error.comeBack = new Date(Date.now() + seconds * 1000);
        throw error;
      }
      await pause(seconds, signal, (left) => onWait(error.kind, left), error.kind === "offline" ? window : undefined);
    }
  }
}
