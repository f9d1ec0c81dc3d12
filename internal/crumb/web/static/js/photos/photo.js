import {request} from "../api.js";
import {Delivery} from "../delivery.js";
import {RequestError} from "../errors.js";
import {cancel, follow, pathOf} from "../follow.js";
import {randomID} from "../format.js";
import {persistently} from "../retry.js";
import {forget, remember} from "./memory.js";

/**
 * Where a photo is. "paused" kept its work and goes on from there; "failed" and
 * "cancelled" start anew.
 * @typedef {object} State
 * @property {"waiting" | "preparing" | "uploading" | "handing" | "retrying" | "processing" |
 *   "done" | "paused" | "failed" | "cancelled"} phase
 * @property {number} [share] uploaded, from 0 to 1
 * @property {import("../errors.js").Kind} [kind] why it is retrying or paused
 * @property {number} [seconds] until the next attempt
 * @property {string} [message] for the person
 * @property {Date} [comeBack] when to try again, where it is paused
 * @property {any} [job]
 */

/** What a person is told where the server's own words are for programmers. */
const UNKNOWN = "This photo is no longer known. Please choose it again.";

/** One photo on its way from the browser to its sizes. */
export class Photo {
  /** @type {State} */
  state = {phase: "waiting"};
  #controller = new AbortController();
  #delivery;
  #gate;
  #onChange;

  /**
   * @param {import("./memory.js").Note} note
   * @param {File | null} file null after a reload
   * @param {{gate: import("../gate.js").Gate, onChange: (photo: Photo) => void}} page
   */
  constructor(note, file, {gate, onChange}) {
    this.note = note;
    this.file = file;
    this.#delivery = file && new Delivery(file);
    this.#gate = gate;
    this.#onChange = onChange;
  }

  /** Whether a reload would lose it. */
  get fragile() {
    return !this.note.key && ["waiting", "preparing", "uploading", "retrying"].includes(this.state.phase);
  }

  /** Goes on from wherever the photo is, until it has ended. */
  async start() {
    this.#controller = new AbortController();
    const {signal} = this.#controller;
    try {
      if (!this.note.job) {
        this.#set({phase: "waiting"});
        if (!this.note.key) await this.#gate.through(signal, () => this.#upload(signal));
        await this.#enqueue(signal);
      }
      this.#end(await this.#follow(signal));
    } catch (error) {
      if (!signal.aborted) this.#stop(error);
    }
  }

  /** Tries again: from where it paused, or from the beginning. */
  again() {
    if (this.state.phase !== "paused") {
      const {id, name, bytes} = this.note;
      this.note = {id, name, bytes};
      this.#delivery = new Delivery(this.file);
    }
    return this.start();
  }

  /** Calls the photo off, here or on the server. */
  async cancel() {
    const {signal} = this.#controller;
    if (!this.note.job) {
      this.#controller.abort();
      forget(this.note.id); // or a reload would take it up again
      this.#set({phase: "cancelled"});
      return;
    }
    try {
      this.#set({...this.state, message: "Cancelling"});
      await persistently(() => cancel(this.note.job, signal), {signal, onWait: () => {}});
    } catch (error) {
      if (!signal.aborted) this.#set({...this.state, message: `It could not be cancelled: ${error.message}`});
    }
  }

  /** Stops all work and forgets the photo. */
  dispose() {
    this.#controller.abort();
    forget(this.note.id);
  }

  async #upload(signal) {
    const key = await this.#delivery.run({signal, onProgress: (state) => this.#set(state)});
    this.#remember({key, jobKey: randomID()});
  }

  async #enqueue(signal) {
    const {key, jobKey} = this.note;
    const answer = await persistently(
      () => request("POST", "/jobs/photo.resize", {signal, key: jobKey, body: {key}}),
      this.#patience(signal, {phase: "handing"}),
    );
    this.#remember({job: answer.body.id});
    this.#set({phase: "processing", job: answer.body});
  }

  #follow(signal) {
    return follow(pathOf(this.note.job), {
      signal,
      onLook: (job) => this.#set({phase: "processing", job, message: this.state.message}),
      persist: (send) => persistently(send, {
        signal, onWait: (kind, seconds) => this.#set({phase: "retrying", kind, seconds, job: this.state.job}),
      }),
    });
  }

  #end(job) {
    const phase = {done: "done", dead: "failed", cancelled: "cancelled"}[job.state];
    this.#set({phase, job, message: job.error?.message});
  }

  #stop(error) {
    if (!(error instanceof RequestError)) console.error(error);
    if (error.temporary) this.#set({phase: "paused", kind: error.kind, comeBack: error.comeBack});
    else this.#set({phase: "failed", message: error.status === 404 ? UNKNOWN : error.message});
  }

  /** What a repeated request shows while it waits and while it runs. */
  #patience(signal, meanwhile) {
    return {
      signal,
      onAttempt: () => this.#set(meanwhile),
      onWait: (kind, seconds) => this.#set({phase: "retrying", kind, seconds}),
    };
  }

  #remember(more) {
    this.note = {...this.note, ...more};
    remember(this.note);
  }

  #set(state) {
    this.state = state;
    this.#onChange(this);
  }
}
