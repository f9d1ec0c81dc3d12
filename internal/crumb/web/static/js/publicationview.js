import {count} from "./format.js";

/**
 * How far everybody is who works on a recipe that was published.
 * @typedef {object} Progress
 * @property {string} search queued or done
 * @property {{state: string, reached?: number, of?: number}} feeds
 * @property {string} spam queued, clear or held
 */

/** The states of a photo that changes no more. */
const MADE = new Set(["done", "failed"]);

/**
 * Tells whether nothing will change any more.
 * @param {Progress} progress
 * @param {any} [photo] the recipe's, where it is looked at, too
 */
export function settled({search, feeds, spam}, photo) {
  if (photo && !MADE.has(photo.state)) return false;
  return spam === "held" || (search === "done" && feeds.state === "done" && spam === "clear");
}

/**
 * Says how a publication fares, as it is.
 * @param {Progress} progress
 * @param {any} [photo] the recipe's, where it is looked at, too
 * @returns {import("./status.js").View}
 */
export function viewOf({search, feeds, spam}, photo) {
  if (spam === "held") {
    return {tone: "bad", title: "Held back", note: "The spam check found something. Only you can see this recipe; change it to have it checked again."};
  }
  const {reached = 0, of = 0} = feeds;
  const parts = [
    search === "done" ? "Search finds it" : "Search will find it soon",
    feedsLine(feeds.state, reached, of),
    spam === "clear" ? "Spam check passed" : "Spam check waiting",
    photoLine(photo),
  ].filter(Boolean);
  const note = `${parts.join(" · ")}.`;
  if (photo?.state === "failed") return {tone: "wait", title: "Published, but without its photo", note};
  if (settled({search, feeds, spam}, photo)) return {tone: "good", title: "Published", note};
  const share = feeds.state === "done" ? 1 : of ? reached / of : 0;
  return {tone: "busy", title: "Published, reaching everyone", note, bar: ((search === "done") + share + (spam === "clear")) / 3};
}

function photoLine(photo) {
  if (!photo || photo.state === "done") return "";
  if (photo.state === "failed") return "The photo couldn’t be processed: edit the recipe to try another";
  return `Photo: ${photo.sizes?.length ?? 0} of 4 sizes made`;
}

function feedsLine(state, reached, of) {
  if (state === "done") return of ? `In all ${count(of, "follower’s feed", "followers’ feeds")}` : "No followers to tell yet";
  if (of) return `Feeds: ${reached.toLocaleString("en-GB")} of ${of.toLocaleString("en-GB")}`;
  return "Feeds waiting";
}
