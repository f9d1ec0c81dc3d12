import {request} from "../api.js";
import {attend, failure, signIn} from "../attend.js";
import {at} from "../dom.js";
import {onPress} from "../form.js";
import {count} from "../format.js";
import {Status} from "../status.js";

/** Shows how many follow a cook, and lets a reader be one of them. */
export function followers(cook, path, {signal, me}) {
  const status = new Status(at("follow-status"));
  const button = at("follow"), notify = at("notify");
  const failed = "It was not changed";
  let {followers: many = 0, following = false} = cook;
  const show = () => {
    at("followers").textContent = count(many, "follower");
    button.setAttribute("aria-pressed", String(following));
    button.textContent = following ? "Following" : "Follow";
    at("notify-line").hidden = !following;
  };
  const change = (method) => request(method, `${path}/follow`, {signal, body: method === "PUT" ? {notify: notify.checked} : undefined});
  show();
  button.hidden = me?.id === cook.id;
  onPress(button, {signal, status, failed}, async (send) => {
    if (!me) return status.show({tone: "quiet", title: "Sign in to follow cooks", link: signIn()});
    await send(() => change(following ? "DELETE" : "PUT"));
    following = !following;
    many += following ? 1 : -1;
    show();
    status.clear();
  });
  notify.addEventListener("change", async () => {
    try {
      await attend(status, () => change("PUT"), {signal});
      status.show({tone: "good", title: notify.checked ? "New recipes come to your inbox" : "New recipes come to your feed only"});
    } catch (error) {
      notify.checked = !notify.checked;
      if (!signal.aborted) status.show(failure(error, {title: failed}));
    }
  });
}
