import {request} from "./api.js";
import {attend, failure} from "./attend.js";
import {announce, make} from "./dom.js";
import {count} from "./format.js";
import {onPress} from "./form.js";
import {Status} from "./status.js";

/**
 * Shows a list of the API's, a page at a time.
 * @param {HTMLElement} list
 * @param {object} options
 * @param {string} options.path where the list is; its pages are asked for by after=
 * @param {AbortSignal} options.signal
 * @param {(body: any) => any[]} [options.rows] finds them in an answer; default: its recipes
 * @param {(row: any) => HTMLElement} options.show
 * @param {string} options.thing what a row is called: "recipe"
 * @param {{title: string, note?: string}} options.empty said where there is none
 * @param {any} [options.first] the first page, where it is here already
 * @returns {Promise<any>} the first page; null if it could not be shown
 */
export async function fill(list, {path, signal, rows = ({recipes}) => recipes, show, thing, empty, first = null}) {
  const place = make("div");
  const more = make("button", {type: "button", class: "button more", text: "More", hidden: true});
  list.after(place, more);
  const status = new Status(place);
  const separator = path.includes("?") ? "&" : "?";
  let next = "";
  const add = (body) => {
    const elements = (rows(body) ?? []).map(show);
    list.append(...elements);
    next = body.next ?? "";
    more.hidden = !next;
    return elements;
  };
  const get = (send) => send(async () => (await request("GET", next ? `${path}${separator}after=${encodeURIComponent(next)}` : path, {signal})).body);
  onPress(more, {signal, status, doing: "Loading more", failed: "The rest could not be loaded"}, async (send) => {
    const elements = add(await get(send));
    status.clear();
    announce(`${count(elements.length, thing)} more`);
    elements[0]?.querySelector("a")?.focus();
  });
  try {
    first ??= await get((attempt) => attend(status, attempt, {signal, doing: "Loading"}));
    add(first);
    status.clear();
    if (!list.children.length) status.show({tone: "quiet", ...empty});
    return first;
  } catch (error) {
    if (!signal.aborted) status.show(failure(error, {title: "This list could not be loaded"}));
    return null;
  }
}
