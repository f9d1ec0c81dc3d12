import {count, size} from "./format.js";

/**
 * What a card shows of a photo.
 * @typedef {object} View
 * @property {"busy" | "wait" | "good" | "bad" | "quiet"} tone
 * @property {string} title
 * @property {string} note
 * @property {number | null | undefined} bar the share done; null if unknown;
 *   undefined for no bar
 * @property {Set<"again" | "cancel" | "remove">} buttons
 * @property {boolean} news whether somebody who does not see the page is told
 */

const RETRYING = {busy: "Busy", offline: "No connection", trouble: "Trouble on our side"};
const PAUSED = {busy: "Still busy", offline: "Still no connection", trouble: "Still trouble on our side"};

/** @type {Record<string, (state: import("./photo.js").State, photo: import("./photo.js").Photo) => object>} */
const VIEWS = {
  waiting: () => ({title: "Waiting to upload", buttons: ["cancel"]}),
  preparing: () => ({title: "Preparing to upload", bar: null, buttons: ["cancel"]}),
  uploading: ({share}) => ({title: `Uploading, ${Math.floor(share * 100)}%`, bar: share, buttons: ["cancel"]}),
  handing: () => ({title: "Uploaded", note: "Handing it over", bar: null, buttons: ["cancel"]}),
  retrying: ({kind, seconds}) => ({
    tone: "wait", title: `${RETRYING[kind]}, retrying in ${count(seconds, "second")}`,
    note: "Your photo is kept.", buttons: ["cancel"],
  }),
  processing: ({job, message}) => ({title: "Processing", note: message ?? progressOf(job), bar: null, buttons: ["cancel"]}),
  done: (_, {note: {bytes}}) => ({tone: "good", title: "Done", note: `From your original of ${size(bytes)}`, buttons: ["remove"], news: true}),
  paused: ({kind}) => ({
    tone: "wait", title: PAUSED[kind], note: "Your photo is kept. Try again when you like.",
    buttons: ["again", "remove"], news: true,
  }),
  failed: ({message}, {file}) => ({
    tone: "bad", title: "This photo didn’t work", note: message, news: true,
    buttons: file ? ["again", "remove"] : ["remove"],
  }),
  cancelled: (_, {file}) => ({
    tone: "quiet", title: "Cancelled", news: true,
    buttons: file ? ["again", "remove"] : ["remove"],
  }),
};

/**
 * Says what a card shows.
 * @param {import("./photo.js").Photo} photo
 * @returns {View}
 */
export function viewOf(photo) {
  const view = VIEWS[photo.state.phase](photo.state, photo);
  return {tone: "busy", note: "", bar: undefined, news: false, ...view, buttons: new Set(view.buttons)};
}

function progressOf(job) {
  if (job.cancel_requested) return "Cancelling";
  if (job.state === "scheduled") return "Waiting for the next attempt";
  if (job.attempts > 1) return `Attempt ${job.attempts} of ${job.max_attempts}`;
  return job.state === "queued" ? "In line" : "Making four sizes";
}
