import {announce, make} from "./dom.js";

/**
 * How something fares that takes its time.
 * @typedef {object} View
 * @property {"busy" | "wait" | "good" | "bad" | "quiet"} [tone] default busy
 * @property {string} title
 * @property {string} [note]
 * @property {number | null} [bar] the share done; null if unknown; none without it
 * @property {{text: string, href: string}} [link] where to go from here
 */

/** A place on the page where people read how something fares, and what now. */
export class Status {
  #host;
  #parts;
  #told = "";

  /** @param {HTMLElement} host an element that is empty, and stays hidden meanwhile */
  constructor(host) {
    this.#host = host;
    this.#parts = {
      title: make("span"), note: make("p", {class: "status-note"}),
      bar: make("progress", {class: "status-bar", max: 1}), more: make("p", {class: "status-more"}),
    };
    const {title, note, bar, more} = this.#parts;
    host.classList.add("status");
    host.tabIndex = -1; // it takes the focus of a button of its own that goes away
    host.replaceChildren(make("p", {class: "status-title"}, make("span", {class: "mark", "aria-hidden": "true"}), title), note, bar, more);
    this.clear();
  }

  /** @param {View} view */
  show({tone = "busy", title, note = "", bar, link}) {
    const parts = this.#parts;
    this.#host.hidden = false;
    this.#host.dataset.tone = tone;
    parts.title.textContent = title;
    parts.note.textContent = note;
    parts.bar.hidden = bar === undefined;
    parts.bar.setAttribute("aria-label", title);
    if (typeof bar === "number") parts.bar.value = bar;
    else parts.bar.removeAttribute("value");
    parts.more.replaceChildren(...(link ? [make("a", {href: link.href, text: link.text})] : []));
    this.#tell(`${title}. ${note}`, tone);
  }

  /** Shows nothing. */
  clear() {
    this.#host.hidden = true;
    this.#told = "";
  }

  /**
   * Shows a view with a button, and waits until it is pressed.
   * @param {View} view
   * @param {string} label the button's
   * @param {AbortSignal} signal
   * @returns {Promise<void>} rejects with the signal's reason
   */
  ask(view, label, signal) {
    this.show(view);
    const button = make("button", {type: "button", class: "button", text: label});
    this.#parts.more.append(button);
    return new Promise((resolve, reject) => {
      button.addEventListener("click", () => {
        this.#host.focus();
        resolve();
      }, {once: true});
      signal.addEventListener("abort", () => reject(signal.reason), {once: true});
    });
  }

  /** Numbers that run are not news: nobody wants to hear a countdown. */
  #tell(text, tone) {
    const news = `${tone} ${text.replace(/\d+/g, "")}`;
    if (news !== this.#told && tone !== "busy") announce(text);
    this.#told = news;
  }
}
