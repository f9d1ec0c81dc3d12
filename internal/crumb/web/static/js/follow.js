import {request} from "./api.js";
import {persistently} from "./retry.js";
import {pause} from "./wait.js";

/** Seconds between looks where the server names none. */
const USUAL = 1;

const FINAL = new Set(["done", "dead", "cancelled"]);

/**
 * Looks at a job until it has ended, as often as the server asks.
 * @param {string} id
 * @param {object} options
 * @param {AbortSignal} options.signal
 * @param {(job: any) => void} options.onJob called when something has changed
 * @param {(kind: import("./errors.js").Kind, secondsLeft: number) => void} options.onWait
 * @returns {Promise<any>} the job as it ended
 */
export async function follow(id, {signal, onJob, onWait}) {
  let job = null, etag = null;
  for (;;) {
    const answer = await persistently(
      () => request("GET", `/jobs/${encodeURIComponent(id)}`, {etag, signal}),
      {signal, onWait},
    );
    if (answer.status !== 304) {
      job = answer.body;
      etag = answer.etag;
    }
    onJob(job);
    if (FINAL.has(job.state)) return job;
    await pause(answer.retryAfter ?? USUAL, signal);
  }
}

/**
 * Asks that a job be cancelled. A job that has ended meanwhile is no error.
 * @param {string} id
 * @param {AbortSignal} signal
 */
export async function cancel(id, signal) {
  try {
    await request("DELETE", `/jobs/${encodeURIComponent(id)}`, {signal});
  } catch (error) {
    if (error.status !== 409) throw error;
  }
}
