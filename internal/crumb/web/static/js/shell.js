import {attend, failure, signIn} from "./attend.js";
import {at, make} from "./dom.js";
import {whoami} from "./session.js";
import {Status} from "./status.js";

/**
 * What a page's script works with.
 * @typedef {object} Page
 * @property {AbortSignal} signal ends with the page
 * @property {Status} status the page's own, above everything
 * @property {URLSearchParams} query
 * @property {string} id the one in the path: /recipes/{id}/edit
 * @property {any} me who is signed in, or null
 * @property {(attempt: () => Promise<any>) => Promise<any>} load sends a request that the
 *   page can't do without
 */

/**
 * Sets a page going: its header, who is signed in, then what it is for. What the
 * page can't do without and does not get is said in its place.
 * @param {(page: Page) => Promise<void>} run
 * @param {{members?: boolean}} [options] members: it is for those who are signed in only
 */
export async function start(run, {members = false} = {}) {
  const leaving = new AbortController();
  window.addEventListener("pagehide", () => leaving.abort(new DOMException("The page is left.", "AbortError")));
  window.addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
  const {signal} = leaving;
  const status = new Status(at("status"));
  const load = async (attempt) => {
    const answer = await attend(status, attempt, {signal, doing: "Loading"});
    status.clear();
    return answer;
  };
  header();
  try {
    const me = await load(() => whoami(signal));
    greet(me);
    if (members && !me) {
      status.show({tone: "quiet", title: "This page is yours once you are signed in", link: signIn()});
      return;
    }
    const id = decodeURIComponent(location.pathname.split("/")[2] ?? "");
    await run({signal, status, load, me, id, query: new URLSearchParams(location.search)});
  } catch (error) {
    if (!signal.aborted) status.show(failure(error, {title: error.status === 404 ? "Nothing but crumbs here" : "This page could not be shown"}));
  }
}

function header() {
  const form = at("find");
  form.elements.q.value = location.pathname === "/search" ? new URLSearchParams(location.search).get("q") ?? "" : "";
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    location.assign(`/search?q=${encodeURIComponent(form.elements.q.value.trim())}`);
  });
  for (const link of document.querySelectorAll(".nav a")) {
    if (link.pathname === location.pathname) link.setAttribute("aria-current", "page");
  }
}

function greet(me) {
  const link = at("account-link"), unread = at("unread");
  link.textContent = me ? me.name : "Sign in";
  if (!me) link.href = "/signin";
  if (me) link.prepend(make("span", {class: "unseen", text: "Account of "}));
  unread.hidden = !me?.unread;
  if (me?.unread) unread.replaceChildren(String(me.unread), make("span", {class: "unseen", text: " unread"}));
}
