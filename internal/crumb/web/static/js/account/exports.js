import {request} from "../api.js";
import {attend, failure} from "../attend.js";
import {at} from "../dom.js";
import {ended, follow} from "../follow.js";
import {onPress} from "../form.js";
import {moment} from "../format.js";
import {Status} from "../status.js";

/** Lets a reader ask for their data, and shows how the latest export fares. */
export async function exports({signal}) {
  const status = new Status(at("export-status"));
  const patient = (attempt) => attend(status, attempt, {signal});
  const watch = async (path) => {
    status.show(viewOf(await follow(path, {signal, persist: patient, onLook: (latest) => status.show(viewOf(latest))})));
  };
  onPress(at("export"), {signal, status, doing: "Asking for your data", failed: "Your data could not be asked for"}, async (send) => {
    const {location} = await send(() => request("POST", "/exports", {signal}));
    await watch(location);
  });
  try {
    const latest = (await patient(() => request("GET", "/api/exports", {signal}))).body;
    status.show(viewOf(latest));
    if (!ended(latest)) await watch(`/exports/${encodeURIComponent(latest.id)}`);
  } catch (error) {
    // 404: there is none. An export that could not be looked at goes on all the same.
    if (!signal.aborted && error.status !== 404) status.show(failure(error, {title: "Your latest export could not be looked at"}));
  }
}

/**
 * Says how an export fares.
 * @param {any} latest the API's
 * @param {Date} [now]
 * @returns {import("../status.js").View}
 */
export function viewOf({state, progress, url, expires_at: expires, error}, now = new Date()) {
  if (state === "done" && new Date(expires) < now) return {tone: "quiet", title: "The link to your data has expired", note: "Ask again, and you get a new one."};
  if (state === "done") {
    return {tone: "good", title: "Your data is ready", note: `The link works until ${moment(expires)}. You have it by mail, too.`, link: {text: "Download your data", href: url}};
  }
  if (state === "dead" || state === "cancelled") return {tone: "bad", title: "Your data couldn’t be gathered. Try again?", note: error ?? ""};
  const {done = 0, of = 0} = progress ?? {};
  const note = "You can leave this page: a mail with the link comes when it is ready.";
  if (!of) return {title: "Preparing your data", note: `In line. ${note}`, bar: null};
  return {title: `Preparing your data: ${done} of ${of}`, note, bar: done / of};
}
