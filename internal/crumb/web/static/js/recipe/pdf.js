import {request} from "../api.js";
import {attend} from "../attend.js";
import {at} from "../dom.js";
import {follow} from "../follow.js";
import {onPress} from "../form.js";
import {standing} from "../jobs.js";
import {Status} from "../status.js";

/**
 * Lets people ask for a PDF: it is made while they wait, and then it can be
 * downloaded.
 */
export function pdf(path, {signal}) {
  const status = new Status(at("pdf-status"));
  const words = {signal, status, doing: "Asking for your PDF", failed: "The PDF couldn’t be made. Try again?"};
  onPress(at("pdf"), words, async (send) => {
    const {location} = await send(() => request("POST", `${path}/pdf`, {signal}));
    const job = await follow(location, {
      signal,
      persist: (attempt) => attend(status, attempt, {signal}),
      onLook: (job) => status.show({title: "Preparing your PDF", note: standing(job, "Setting the page"), bar: null}),
    });
    if (job.state === "done") status.show({tone: "good", title: "Your PDF is ready", link: {text: "Download the PDF", href: `${path}/pdf`}});
    else status.show({tone: "bad", title: words.failed, note: job.error?.message ?? ""});
  });
}
