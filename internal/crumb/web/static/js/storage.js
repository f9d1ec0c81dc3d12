/**
 * What this browser keeps for a page: across a reload (this tab alone), or for
 * good. Where storage is full or forbidden, pages work and a reload forgets.
 */
class Kept {
  #area;

  /** @param {() => Storage} area asked for late: reaching for it may throw */
  constructor(area) {
    this.#area = area;
  }

  /**
   * @param {string} name
   * @returns {any} null if there is nothing, or nothing that can be read
   */
  get(name) {
    try {
      return JSON.parse(this.#area().getItem(name) ?? "null");
    } catch (error) {
      console.info("What was kept cannot be read.", error);
      return null;
    }
  }

  /**
   * @param {string} name
   * @param {any} value null drops it
   */
  set(name, value) {
    try {
      if (value === null) this.#area().removeItem(name);
      else this.#area().setItem(name, JSON.stringify(value));
    } catch (error) {
      console.warn("This page will not remember what it shows.", error);
    }
  }
}

/** Kept until the tab is closed. */
export const tab = new Kept(() => sessionStorage);
/** Kept for good. */
export const browser = new Kept(() => localStorage);
