import {attend} from "../attend.js";
import {at} from "../dom.js";
import {follow} from "../follow.js";
import {standing} from "../jobs.js";
import {sizeItem} from "../photos/sizes.js";
import {Status} from "../status.js";

/** Shows a recipe's photo, and its sizes as they arrive. */
export async function photo({title, author, photo: of}, {signal, me}) {
  if (!of) return;
  const status = new Status(at("photo-status"));
  at("photo").hidden = false;
  show(of.sizes ?? [], title);
  if (!of.status_url || of.state === "done") return;
  const job = await follow(of.status_url, {
    signal,
    persist: (attempt) => attend(status, attempt, {signal}),
    onLook: (job) => {
      const sizes = job.result?.sizes ?? job.progress?.sizes ?? of.sizes ?? [];
      show(sizes, title);
      status.show({title: "The photo is being processed", note: standing(job, `${sizes.length} of 4 sizes made`), bar: sizes.length / 4});
    },
  });
  if (job.state === "done") return status.clear();
  const link = author === me?.id ? {text: "Try again with another photo", href: at("edit").href} : undefined;
  status.show({tone: "bad", title: "This photo couldn’t be processed", note: job.error?.message ?? "", link});
}

/** Shows the best picture for the page that there is, and links to all. */
function show(sizes, title) {
  const list = at("sizes");
  if (sizes.length === list.children.length) return;
  list.replaceChildren(...sizes.map(sizeItem));
  list.hidden = sizes.length === 0;
  const best = ["large", "medium", "small", "thumb"].map((name) => sizes.find((size) => size.name === name)).find(Boolean);
  const image = at("photo-image");
  if (best) Object.assign(image, {src: best.url, alt: `Photo of ${title}`, width: best.width, height: best.height, hidden: false});
}
