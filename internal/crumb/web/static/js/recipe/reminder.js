import {request} from "../api.js";
import {signIn} from "../attend.js";
import {at} from "../dom.js";
import {onSubmit} from "../form.js";
import {moment} from "../format.js";

/** Lets a reader be reminded of the recipe. */
export function reminder(path, {signal, me}) {
  const form = at("remind");
  const {when, at: time} = form.elements;
  when.addEventListener("change", () => {
    at("remind-at").hidden = when.value !== "at";
    time.required = when.value === "at";
  });
  onSubmit(form, {signal, doing: "Noting it down", failed: "There is no reminder yet"}, async (send, {data, status}) => {
    if (!me) return status.show({tone: "quiet", title: "Sign in to be reminded", link: signIn()});
    const body = data.when === "at" ? {at: new Date(data.at).toISOString()} : {days: Number(data.when)};
    const made = (await send(() => request("POST", `${path}/reminders`, {signal, body}))).body;
    status.show({tone: "good", title: `You will be reminded on ${moment(made.at)}`, note: "In your inbox. Move or cancel it in your account.", link: {text: "Your reminders", href: "/account#reminders"}});
  });
}
