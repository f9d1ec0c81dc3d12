import {attend, failure} from "./attend.js";
import {make} from "./dom.js";
import {Status} from "./status.js";
import {tab} from "./storage.js";

/** Fields whose content a tab may keep: no secrets, and no files. */
const KEEPABLE = "input:not([type=password], [type=file], [type=hidden]), select, textarea";

/**
 * Sends a form with fetch. While it is on its way it isn't sent twice; how it fares
 * is said below its buttons, and what was typed stays: when the page gives up, in the
 * tab, also across a reload, until it has been sent.
 * @param {HTMLFormElement} form
 * @param {object} words
 * @param {AbortSignal} words.signal
 * @param {string} words.doing shown while it is sent
 * @param {string} words.failed what a failure is called
 * @param {string} [words.kept] what is not lost, because the page keeps it itself
 * @param {(send: (attempt: () => Promise<any>) => Promise<any>, event: {data: Record<string, string>,
 *   status: Status, submitter: HTMLElement | null}) => Promise<void>} work
 */
export function onSubmit(form, {signal, doing, failed, kept}, work) {
  const place = form.querySelector(".form-status") ?? form.appendChild(make("div", {class: "form-status"}));
  const status = new Status(place);
  const keeps = kept || !form.id ? null : `crumb.form.${location.pathname}#${form.id}`;
  const fields = () => [...form.querySelectorAll(KEEPABLE)].filter(({name}) => name);
  if (keeps) fill(fields(), tab.get(keeps));
  const send = (attempt) => attend(status, attempt, {
    signal, doing, kept: kept ?? (keeps ? "What you typed is kept." : ""),
    onGiveUp: () => { if (keeps) tab.set(keeps, fields().map(({name, type, value, checked}) => ({name, type, value, checked}))); },
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    await once(form, status, {signal, failed, kept}, async () => {
      const data = Object.fromEntries([...new FormData(form)].filter(([, value]) => typeof value === "string"));
      await work(send, {data, status, submitter: event.submitter});
      if (keeps) tab.set(keeps, null);
    });
  });
  return status;
}

/** Puts what was kept into the fields of a form. */
function fill(fields, kept) {
  for (const {name, type, value, checked} of Array.isArray(kept) ? kept : []) {
    const field = fields.find((other) => other.name === name && (type !== "radio" || other.value === value));
    if (!field) continue;
    if (type === "checkbox" || type === "radio") field.checked = checked;
    else field.value = value;
  }
}

/**
 * Does the work of a button, not twice at a time.
 * @param {HTMLElement} button
 * @param {{signal: AbortSignal, status: Status, doing: string, failed: string, kept?: string}} words
 * @param {(send: (attempt: () => Promise<any>) => Promise<any>) => Promise<void>} work
 */
export function onPress(button, {signal, status, doing, failed, kept}, work) {
  const send = (attempt) => attend(status, attempt, {signal, doing, kept});
  button.addEventListener("click", () => once(button, status, {signal, failed, kept}, () => work(send)));
}

/** @param {HTMLElement} element what is busy meanwhile */
async function once(element, status, {signal, failed, kept}, work) {
  if (element.getAttribute("aria-busy") === "true") return;
  element.setAttribute("aria-busy", "true");
  try {
    await work();
  } catch (error) {
    if (!signal.aborted) status.show(failure(error, {title: failed, kept}));
  } finally {
    element.removeAttribute("aria-busy");
  }
}
