import {request} from "../api.js";
import {at} from "../dom.js";
import {onSubmit} from "../form.js";
import {start} from "../shell.js";

start(async ({signal, status, query}) => {
  const token = query.get("token");
  if (!token) {
    status.show({tone: "bad", title: "This link is not whole", note: "Open it from the mail again, or ask for another.", link: {text: "Ask for another", href: "/signin#forgot"}});
    return;
  }
  const form = at("reset");
  form.hidden = false;
  const fate = onSubmit(form, {signal, doing: "Changing your password", failed: "Your password is as it was"}, async (send, {data}) => {
    await send(() => request("POST", `/api/password-resets/${encodeURIComponent(token)}`, {signal, body: {password: data.password}}));
    fate.show({tone: "good", title: "Your password is changed", link: {text: "Sign in with it", href: "/signin"}});
  });
});
