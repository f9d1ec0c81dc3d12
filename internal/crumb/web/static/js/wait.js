/**
 * Waits, and can be called off.
 * @param {number} seconds
 * @param {AbortSignal} signal
 * @param {(secondsLeft: number) => void} [onTick] called at once and each second;
 *   with whole seconds, rounded up
 * @param {EventTarget} [wake] ends the wait early when it fires "online"
 * @returns {Promise<void>} rejects with the signal's reason
 */
export function pause(seconds, signal, onTick, wake) {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const end = performance.now() + seconds * 1000;
    let timer, shown;
    const finish = (settle) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", aborted);
      wake?.removeEventListener("online", woken);
      settle();
    };
    const aborted = () => finish(() => reject(signal.reason));
    const woken = () => finish(resolve);
    const tick = () => {
      const left = end - performance.now();
      if (left <= 0) return finish(resolve);
      // A timer may fire a moment early: the same number is not shown twice.
      if (shown !== Math.ceil(left / 1000)) onTick?.((shown = Math.ceil(left / 1000)));
      // To the next change of the number shown.
      timer = setTimeout(tick, left % 1000 || 1000);
    };
    signal.addEventListener("abort", aborted);
    wake?.addEventListener("online", woken);
    tick();
  });
}

/**
 * Waits until somebody can see the page.
 * @param {AbortSignal} signal
 * @returns {Promise<void>} rejects with the signal's reason
 */
export function visible(signal) {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const settle = () => {
      if (document.hidden && !signal.aborted) return;
      document.removeEventListener("visibilitychange", settle);
      signal.removeEventListener("abort", settle);
      if (signal.aborted) reject(signal.reason);
      else resolve();
    };
    document.addEventListener("visibilitychange", settle);
    signal.addEventListener("abort", settle);
    settle();
  });
}
