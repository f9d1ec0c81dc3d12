import {request} from "../api.js";
import {at} from "../dom.js";
import {onSubmit} from "../form.js";
import {start} from "../shell.js";

start(async ({signal, status, query}) => {
  const token = query.get("token");
  if (!token) {
    status.show({tone: "bad", title: "This link is not whole", note: "Open it from the mail again, or turn the newsletter off in your account.", link: {text: "Your account", href: "/account"}});
    return;
  }
  const form = at("unsubscribe");
  form.hidden = false;
  const fate = onSubmit(form, {signal, doing: "Unsubscribing", failed: "You still get the newsletter"}, async (send) => {
    await send(() => request("POST", `/api/newsletter/unsubscribe?token=${encodeURIComponent(token)}`, {signal}));
    fate.show({tone: "good", title: "You get no more newsletters", note: "You can turn it on again in your account."});
    form.querySelector("button").hidden = true;
  });
});
