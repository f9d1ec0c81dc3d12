import {request} from "../api.js";
import {attend, failure, signIn} from "../attend.js";
import {at} from "../dom.js";
import {onPress} from "../form.js";
import {count} from "../format.js";
import {Status} from "../status.js";

/** Shows what a recipe is rated, and lets a reader rate it. */
export function rating(recipe, path, {signal, me}) {
  const status = new Status(at("rating-status"));
  const form = at("rating");
  let chosen = recipe.rating?.mine || 0;
  const show = ({average = 0, count: votes = 0, mine = 0} = {}) => {
    at("average").textContent = votes ? `${average.toFixed(1)} of 5 from ${count(votes, "rating")}` : "Not rated yet";
    for (const radio of form.elements.stars) radio.checked = Number(radio.value) === mine;
    chosen = mine;
  };
  show(recipe.rating);
  if (!me) {
    form.querySelector("fieldset").disabled = true;
    status.show({tone: "quiet", title: "Sign in to rate it", link: signIn()});
    return;
  }
  form.addEventListener("change", async () => {
    const stars = Number(new FormData(form).get("stars"));
    try {
      show((await attend(status, () => request("PUT", `${path}/rating`, {signal, body: {stars}}), {signal, doing: "Rating"})).body);
      status.clear();
    } catch (error) {
      if (signal.aborted) return;
      for (const radio of form.elements.stars) radio.checked = Number(radio.value) === chosen;
      status.show(failure(error, {title: "Your rating was not taken"}));
    }
  });
}

/** Lets a reader save the recipe, or no longer. */
export function saving(recipe, path, {signal, me}) {
  const button = at("save"), status = new Status(at("save-status"));
  let saved = Boolean(recipe.saved);
  const show = () => {
    button.setAttribute("aria-pressed", String(saved));
    button.textContent = saved ? "Saved" : "Save";
  };
  show();
  onPress(button, {signal, status, failed: "It was not changed"}, async (send) => {
    if (!me) return status.show({tone: "quiet", title: "Sign in to save recipes", link: signIn()});
    await send(() => request(saved ? "DELETE" : "PUT", `${path}/save`, {signal}));
    saved = !saved;
    show();
    status.clear();
  });
}
