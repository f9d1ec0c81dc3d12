import {request} from "./api.js";
import {RequestError} from "./errors.js";
import {randomID} from "./format.js";
import {persistently} from "./retry.js";
import {put} from "./upload.js";

/**
 * What a delivery tells while it is on its way.
 * @typedef {{phase: "preparing"} | {phase: "uploading", share: number} |
 *   {phase: "retrying", kind: import("./errors.js").Kind, seconds: number}} Progress
 */

/** What people are told of a picture where the server's own words are for programmers. */
const PICTURES = {
  413: "The file is larger than 25 MB. Please choose a smaller one.",
  415: "This file is not a picture.",
};

/** A file on its way into the bucket: asks where to put it, puts it there. */
export class Delivery {
  #file;
  #type;
  #refusals;
  #key = randomID();
  #reservation = null;

  /**
   * @param {Blob} file
   * @param {object} [what] default: a picture
   * @param {string} [what.type] its content type
   * @param {Record<number, string>} [what.refusals] what people are told of a status
   */
  constructor(file, {type = file.type || "application/octet-stream", refusals = PICTURES} = {}) {
    this.#file = file;
    this.#type = type;
    this.#refusals = refusals;
  }

  /**
   * Delivers the file, or goes on where an earlier call failed.
   * @param {{signal: AbortSignal, onProgress: (progress: Progress) => void}} options
   * @returns {Promise<string>} the key of the upload
   */
  async run({signal, onProgress}) {
    if (this.#file.size === 0) throw new RequestError("refused", "The file is empty.");
    const patience = (meanwhile) => ({
      signal,
      onAttempt: () => onProgress(meanwhile),
      onWait: (kind, seconds) => onProgress({phase: "retrying", kind, seconds}),
    });
    for (let round = 0; ; round++) {
      const to = await this.#reserve(signal, patience({phase: "preparing"}));
      try {
        await persistently(
          () => put(to, this.#file, {signal, onProgress: (share) => onProgress({phase: "uploading", share})}),
          patience({phase: "uploading", share: 0}),
        );
        return to.key;
      } catch (error) {
        if (error.kind !== "expired" || round > 0) throw error;
        this.#reservation = null;
        this.#key = randomID();
      }
    }
  }

  /** Asks where to put the file, once for each upload. */
  async #reserve(signal, patience) {
    const body = {content_type: this.#type, bytes: this.#file.size};
    try {
      this.#reservation ??= (await persistently(() => request("POST", "/uploads", {signal, key: this.#key, body}), patience)).body;
    } catch (error) {
      error.message = this.#refusals[error.status] ?? error.message;
      throw error;
    }
    return this.#reservation;
  }
}
