import {failure, retrying} from "../attend.js";
import {Delivery} from "../delivery.js";
import {at} from "../dom.js";
import {listen} from "../picker.js";
import {picture} from "../recipecard.js";
import {Status} from "../status.js";

/** The photo of a recipe that is being written: uploaded while its author types. */
export class PhotoField {
  /** Where the upload lies; undefined without one. */
  key;
  #signal;
  #onChange;
  #status = new Status(at("photo-status"));
  #work = Promise.resolve();
  #current = 0;

  /** @param {{signal: AbortSignal, key?: string, onChange: () => void}} options */
  constructor({signal, key, onChange}) {
    this.#signal = signal;
    this.#onChange = onChange;
    this.key = key;
    if (key) this.#show(picture(key, "Your photo"));
    at("photo-remove").addEventListener("click", () => this.#remove());
    listen({box: at("picker"), input: at("photo-file")}, ([file]) => {
      if (file) this.#work = this.#take(file);
    });
  }

  /** Waits until an upload that is under way has ended; rejects where it failed. */
  async ready() {
    const error = await this.#work;
    if (error) throw error;
  }

  /** Uploads a file, in the place of an earlier one. Gives why it failed, if it did. */
  async #take(file) {
    const turn = ++this.#current;
    this.key = undefined;
    const mine = (act) => { if (turn === this.#current) act(); };
    this.#preview(file);
    const delivery = new Delivery(file);
    try {
      const key = await delivery.run({signal: this.#signal, onProgress: (progress) => mine(() => this.#status.show(viewOf(progress)))});
      mine(() => {
        this.key = key;
        this.#onChange();
        this.#status.show({tone: "good", title: "The photo is uploaded", note: "Its sizes are made once the recipe is saved."});
      });
      return null;
    } catch (error) {
      if (this.#signal.aborted || turn !== this.#current) return null;
      this.#status.show(failure(error, {title: "This photo couldn’t be uploaded. Try again?", kept: "Choose it again, or another one, or remove it."}));
      return error;
    }
  }

  /** Shows the browser's own copy, if the browser can read it. */
  #preview(file) {
    const host = picture(undefined), image = new Image();
    image.className = "picture-image";
    image.alt = "Preview of your photo";
    image.onload = () => host.append(image);
    image.src = URL.createObjectURL(file);
    this.#show(host);
  }

  #show(preview) {
    at("photo-preview").replaceChildren(preview);
    at("photo-side").hidden = false;
  }

  /** Goes on without a photo. */
  #remove() {
    this.#current++;
    this.#work = Promise.resolve(null);
    this.key = undefined;
    this.#onChange();
    this.#status.clear();
    at("photo-side").hidden = true;
    at("photo-file").focus();
  }
}

function viewOf(progress) {
  if (progress.phase === "uploading") return {title: `Uploading the photo, ${Math.floor(progress.share * 100)}%`, bar: progress.share};
  if (progress.phase === "retrying") return {tone: "wait", title: retrying(progress.kind, progress.seconds), note: "Your photo is kept."};
  return {title: "Preparing to upload", bar: null};
}
