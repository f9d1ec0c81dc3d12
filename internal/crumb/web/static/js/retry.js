import {BUDGET, waitBefore} from "./backoff.js";
import {RequestError} from "./errors.js";
import {pause} from "./wait.js";

/**
 * Repeats a request while its failures are temporary, up to BUDGET times. The
 * last error is thrown; any other is at once.
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
  for (let repetition = 0; ; repetition++) {
    try {
      onAttempt?.();
      return await attempt();
    } catch (error) {
      const again = error instanceof RequestError && error.temporary && repetition < BUDGET;
      if (!again) throw error;
      const seconds = waitBefore(repetition, error.retryAfter);
      await pause(seconds, signal, (left) => onWait(error.kind, left), error.kind === "offline" ? window : undefined);
    }
  }
}
