import {later, paused, retrying} from "../attend.js";
import {size} from "../format.js";
import {standing} from "../jobs.js";

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

/** @type {Record<string, (state: import("./photo.js").State, photo: import("./photo.js").Photo) => object>} */
const VIEWS = {
  waiting: () => ({title: "Waiting to upload", buttons: ["cancel"]}),
  preparing: () => ({title: "Preparing to upload", bar: null, buttons: ["cancel"]}),
  uploading: ({share}) => ({title: `Uploading, ${Math.floor(share * 100)}%`, bar: share, buttons: ["cancel"]}),
  handing: () => ({title: "Uploaded", note: "Handing it over", bar: null, buttons: ["cancel"]}),
  retrying: ({kind, seconds}) => ({
    tone: "wait", title: retrying(kind, seconds),
    note: "Your photo is kept.", buttons: ["cancel"],
  }),
  processing: ({job, message}) => ({title: "Processing", note: message ?? progressOf(job), bar: null, buttons: ["cancel"]}),
  done: (_, {note: {bytes}}) => ({tone: "good", title: "Done", note: `From your original of ${size(bytes)}`, buttons: ["remove"], news: true}),
  paused: ({kind, comeBack}) => ({
    tone: "wait", title: paused(kind), note: `Your photo is kept. ${later(comeBack)}`,
    buttons: ["again", "remove"], news: true,
  }),
  failed: ({message}, {file}) => ({
    tone: "bad", title: "This photo couldn’t be processed", note: message, news: true,
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
  const sizes = job.progress?.sizes?.length ?? 0;
  return standing(job, sizes ? `${sizes} of four sizes made` : "Making four sizes");
}
