import {request} from "../api.js";
import {at, copy} from "../dom.js";
import {onPress, onSubmit} from "../form.js";
import {moment} from "../format.js";
import {fill} from "../list.js";
import {Status} from "../status.js";

/** Shows a reader's reminders: each can be moved to another time, or cancelled. */
export async function reminders({signal}) {
  const list = at("reminder-list");
  await fill(list, {
    path: "/api/reminders", signal, rows: ({reminders}) => reminders, thing: "reminder", show: (one) => row(one, signal),
    empty: {title: "No reminders", note: "Each recipe has a button for one."},
  });
}

function row(one, signal) {
  const element = copy("reminder");
  const path = `/api/reminders/${encodeURIComponent(one.id)}`;
  const part = (selector) => element.querySelector(selector);
  const link = part("a"), form = part("form"), move = part("[data-do=move]"), cancel = part("[data-do=cancel]");
  link.textContent = one.title;
  link.href = `/recipes/${encodeURIComponent(one.recipe)}`;
  const show = (time) => {
    part("time").textContent = moment(time);
    part("time").dateTime = time;
    form.elements.at.value = local(time);
  };
  show(one.at);
  move.setAttribute("aria-label", `Move: ${one.title}`);
  cancel.setAttribute("aria-label", `Cancel: ${one.title}`);
  form.elements.at.setAttribute("aria-label", `New time: ${one.title}`);
  move.addEventListener("click", () => {
    form.hidden = !form.hidden;
    move.setAttribute("aria-expanded", String(!form.hidden));
    if (!form.hidden) form.elements.at.focus();
  });
  onSubmit(form, {signal, doing: "Moving", failed: "It was not moved"}, async (send, {data, status}) => {
    const time = new Date(data.at).toISOString();
    await send(() => request("PUT", path, {signal, body: {at: time}}));
    show(time);
    status.show({tone: "good", title: "Moved"});
  });
  onPress(cancel, {signal, status: new Status(part(".row-status")), doing: "Cancelling", failed: "It was not cancelled"}, async (send) => {
    await send(() => request("DELETE", path, {signal}));
    const neighbour = element.nextElementSibling ?? element.previousElementSibling;
    (neighbour?.querySelector("a") ?? document.getElementById("reminders-heading")).focus();
    element.remove();
  });
  return element;
}

/** Writes a time as datetime-local inputs have it: in local time, to the minute. */
function local(time) {
  const at = new Date(time);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
