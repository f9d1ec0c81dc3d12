import {request} from "../api.js";
import {attend, failure} from "../attend.js";
import {exports} from "../account/exports.js";
import {imports} from "../account/imports.js";
import {reminders} from "../account/reminders.js";
import {at} from "../dom.js";
import {onPress} from "../form.js";
import {start} from "../shell.js";
import {Status} from "../status.js";

start(async (page) => {
  const {signal, me, status} = page;
  at("account").hidden = false;
  at("who").textContent = me.name;
  at("address").textContent = me.email;
  at("profile").href = `/cooks/${encodeURIComponent(me.id)}`;
  newsletter(page);
  onPress(at("sign-out"), {signal, status, doing: "Signing out", failed: "You are still signed in"}, async (send) => {
    await send(() => request("DELETE", "/api/sessions", {signal}));
    sessionStorage.clear(); // what was typed here is nobody else's
    location.assign("/");
  });
  await Promise.all([exports(page), imports(page), reminders(page)]);
}, {members: true});

function newsletter({signal, me}) {
  const box = at("newsletter"), status = new Status(at("newsletter-status"));
  box.checked = me.newsletter;
  if (me.bounced) status.show({tone: "bad", title: "Mail to your address came back", note: me.bounced});
  box.addEventListener("change", async () => {
    const on = box.checked;
    try {
      await attend(status, () => request("PUT", "/api/me/newsletter", {signal, body: {on}}), {signal, doing: "Saving"});
      status.show({tone: "good", title: on ? "You get the newsletter on Mondays" : "You get no newsletter"});
    } catch (error) {
      box.checked = !on;
      if (!signal.aborted) status.show(failure(error, {title: "It was not changed"}));
    }
  });
}
