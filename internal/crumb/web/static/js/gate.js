/** Lets a few in at a time: many uploads side by side would all be slow. */
export class Gate {
  #free;
  #waiting = [];

  /** @param {number} size */
  constructor(size) {
    this.#free = size;
  }

  /**
   * Runs work when there is room.
   * @template T
   * @param {AbortSignal} signal
   * @param {() => Promise<T>} work
   * @returns {Promise<T>}
   */
  async through(signal, work) {
    await this.#enter(signal);
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }

  #enter(signal) {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free--;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const enter = () => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      const leave = () => {
        this.#waiting = this.#waiting.filter((other) => other !== enter);
        reject(signal.reason);
      };
      this.#waiting.push(enter);
      signal.addEventListener("abort", leave, {once: true});
    });
  }
}
