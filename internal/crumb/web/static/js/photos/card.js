import {sizeItem} from "./sizes.js";

/** One photo's place on the page. It shows views and passes on clicks. */
export class Card {
  #parts;
  #preview = "";
  #sizes = 0;
  #small = "";

  /**
   * @param {HTMLTemplateElement} template
   * @param {import("./photo.js").Photo} photo
   * @param {(action: "again" | "cancel" | "remove") => void} onAction
   */
  constructor(template, photo, onAction) {
    this.element = template.content.firstElementChild.cloneNode(true);
    const part = (selector) => this.element.querySelector(selector);
    this.#parts = {
      image: part(".picture-image"), bar: part(".bar"), name: part(".card-name"),
      title: part(".card-title"), note: part(".card-note"), sizes: part(".sizes"),
      buttons: [...this.element.querySelectorAll("[data-do]")],
    };
    this.#parts.name.textContent = photo.note.name;
    for (const button of this.#parts.buttons) {
      button.setAttribute("aria-label", `${button.textContent}: ${photo.note.name}`);
      button.addEventListener("click", () => onAction(button.dataset.do));
    }
    if (photo.file) this.#showFile(photo.file);
  }

  /**
   * @param {import("./words.js").View} view
   * @param {import("./photo.js").State} state
   */
  render({tone, title, note, bar, buttons}, state) {
    const {bar: progress, title: heading, note: line, buttons: all} = this.#parts;
    this.element.dataset.tone = tone;
    this.element.dataset.phase = state.phase;
    heading.textContent = title;
    line.textContent = note;
    progress.hidden = bar === undefined;
    progress.setAttribute("aria-label", title);
    if (typeof bar === "number") progress.value = bar;
    else progress.removeAttribute("value");
    for (const button of all) button.hidden = !buttons.has(button.dataset.do);
    this.#showSizes(state.job?.result?.sizes ?? state.job?.progress?.sizes ?? []);
  }

  /** Lets go of the browser's copy. */
  dispose() {
    if (this.#preview) URL.revokeObjectURL(this.#preview);
    this.#preview = "";
  }

  /** Shows the browser's own copy, if the browser can read it. */
  #showFile(file) {
    const {image} = this.#parts;
    this.#preview = URL.createObjectURL(file);
    image.onload = () => { image.hidden = false; };
    image.onerror = () => { image.hidden = true; };
    image.src = this.#preview;
    image.alt = `Preview of ${file.name}`;
  }

  /** Shows the sizes as they arrive. */
  #showSizes(sizes) {
    if (sizes.length === this.#sizes) return;
    this.#sizes = sizes.length;
    this.#parts.sizes.replaceChildren(...sizes.map(sizeItem));
    this.#parts.sizes.hidden = sizes.length === 0;
    const small = sizes.find(({name}) => name === "small");
    if (small && this.#small !== small.url) this.#showResult(small);
  }

  /** Puts the server's picture in the place of the browser's, once it is there. */
  #showResult({url}) {
    this.#small = url;
    const arrived = new Image();
    arrived.onload = () => {
      const {image, name} = this.#parts;
      image.src = arrived.src;
      image.alt = name.textContent;
      image.hidden = false;
      this.dispose();
    };
    arrived.src = url;
  }
}
