import {attend, failure} from "./attend.js";
import {make} from "./dom.js";
import {Status} from "./status.js";

/**
 * Sends a form with fetch. While it is on its way it isn't sent twice; how it fares
 * is said below its buttons, and what was typed stays.
 * @param {HTMLFormElement} form
 * @param {object} words
 * @param {AbortSignal} words.signal
 * @param {string} words.doing shown while it is sent
 * @param {string} words.failed what a failure is called
 * @param {string} [words.kept] what is not lost
 * @param {(send: (attempt: () => Promise<any>) => Promise<any>, event: {data: Record<string, string>,
 *   status: Status, submitter: HTMLElement | null}) => Promise<void>} work
 */
export function onSubmit(form, {signal, doing, failed, kept}, work) {
  const place = form.querySelector(".form-status") ?? form.appendChild(make("div", {class: "form-status"}));
  const status = new Status(place);
  const send = (attempt) => attend(status, attempt, {signal, doing, kept});
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    await once(form, status, {signal, failed, kept}, () => {
      const data = Object.fromEntries([...new FormData(form)].filter(([, value]) => typeof value === "string"));
      return work(send, {data, status, submitter: event.submitter});
    });
  });
  return status;
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
