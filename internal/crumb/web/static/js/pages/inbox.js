import {request} from "../api.js";
import {at, make} from "../dom.js";
import {fill} from "../list.js";
import {moment} from "../format.js";
import {homeward} from "../session.js";
import {start} from "../shell.js";

start(async ({signal, me}) => {
  const page = await fill(at("notices"), {
    path: "/api/inbox", signal, rows: ({notices}) => notices, show: notice, thing: "notice",
    empty: {title: "Nothing here yet", note: "Reminders, new recipes of cooks whom you follow, and what becomes of your own come here."},
  });
  if (!page || !me.unread) return;
  // They have been shown: that they are read may fail and happen the next time.
  try {
    await request("POST", "/api/inbox/read", {signal});
    at("unread").hidden = true;
  } catch (error) {
    if (!signal.aborted) console.warn("The inbox was not marked as read.", error);
  }
}, {members: true});

function notice({text, link, at: time, read}) {
  const what = link ? make("a", {href: homeward(link), text}) : make("span", {text});
  return make("li", {class: "row", "data-read": read ? "yes" : "no"},
    make("div", {class: "row-text"}, read ? "" : make("span", {class: "unseen", text: "New: "}), what),
    make("time", {class: "row-time", datetime: time, text: moment(time)}));
}
