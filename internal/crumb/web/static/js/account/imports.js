import {request} from "../api.js";
import {attend, failure, retrying} from "../attend.js";
import {Delivery} from "../delivery.js";
import {at, make} from "../dom.js";
import {follow} from "../follow.js";
import {onSubmit} from "../form.js";
import {count} from "../format.js";
import {Status} from "../status.js";
import {tab} from "../storage.js";

/** What the API takes files of recipes as, by the end of their names. */
const TYPES = {jsonl: "application/x-ndjson", ndjson: "application/x-ndjson", json: "application/ld+json", jsonld: "application/ld+json", html: "text/html", htm: "text/html"};

const NAME = "crumb.import";

/** Lets a reader import a file of recipes, and shows how far it is and which lines are bad. */
export async function imports({signal, query}) {
  const progress = new Status(at("import-progress"));
  const persist = (attempt) => attend(progress, attempt, {signal});
  const watch = async (path) => {
    show(await follow(path, {signal, persist, onLook: show}));
    tab.set(NAME, null);
  };
  onSubmit(at("import"), {signal, doing: "Handing the file over", failed: "The file was not taken"}, async (send, {status}) => {
    const [file] = at("import-file").files;
    const type = TYPES[file.name.split(".").at(-1).toLowerCase()];
    if (!type) return status.show({tone: "bad", title: "This is no file of recipes", note: "It ends in .jsonl, .json or .html."});
    const delivery = new Delivery(file, {type, refusals: {413: "The file is too large. Please split it."}});
    progress.clear();
    at("bad-lines").hidden = true;
    const key = await send(() => delivery.run({signal, onProgress: (view) => status.show(uploading(view))}));
    const {location} = await send(() => request("POST", "/api/imports", {signal, key: key.split("/").at(-1), body: {key}}));
    status.clear();
    tab.set(NAME, location);
    await watch(location);
  });
  // A notice in the inbox leads to an import; a reload goes on with the last one.
  const asked = query.get("import");
  const earlier = asked ? `/api/imports/${encodeURIComponent(asked)}` : tab.get(NAME);
  if (!earlier) return;
  try {
    await watch(earlier);
  } catch (error) {
    if (signal.aborted) return;
    tab.set(NAME, null);
    progress.show(failure(error, {title: "The import could not be looked at"}));
  }

  function show(work) {
    progress.show(viewOf(work));
    const bad = work.bad ?? [];
    at("bad-lines").hidden = bad.length === 0;
    at("bad-rows").replaceChildren(...bad.map(({line, reason}) => make("tr", {}, make("th", {scope: "row", text: line}), make("td", {text: reason}))));
  }
}

function uploading(view) {
  if (view.phase === "uploading") return {title: `Uploading, ${Math.floor(view.share * 100)}%`, bar: view.share};
  if (view.phase === "retrying") return {tone: "wait", title: retrying(view.kind, view.seconds), note: "Your file is kept."};
  return {title: "Preparing to upload", bar: null};
}

/**
 * Says how an import fares.
 * @param {any} work the API's
 * @returns {import("../status.js").View}
 */
export function viewOf({state, lines = 0, done = 0, imported = 0, bad, error}) {
  const refused = bad?.length ?? 0;
  const so = `${count(imported, "recipe")} imported as drafts${refused ? `, ${count(refused, "bad line")}` : ""}.`;
  if (state === "dead" || state === "cancelled") return {tone: "bad", title: "The import stopped", note: `${so} ${error ?? "Try again: what is imported stays."}`};
  if (state === "done") return {tone: refused ? "wait" : "good", title: refused ? "Imported, but not all" : "Imported", note: so};
  if (!lines) return {title: "Reading your file", note: "In line.", bar: null};
  return {title: `Importing: ${done.toLocaleString("en-GB")} of ${count(lines, "line")}`, note: so, bar: done / lines};
}
