import {request} from "../api.js";
import {attend} from "../attend.js";
import {at, make} from "../dom.js";
import {follow} from "../follow.js";
import {count, day} from "../format.js";
import {settled, viewOf} from "../publicationview.js";
import {rating, saving} from "../recipe/opinion.js";
import {pdf} from "../recipe/pdf.js";
import {photo} from "../recipe/photo.js";
import {reminder} from "../recipe/reminder.js";
import {start} from "../shell.js";
import {Status} from "../status.js";

start(async (page) => {
  const {signal, me} = page;
  const path = `/api/recipes/${encodeURIComponent(page.id)}`;
  const recipe = (await page.load(() => request("GET", path, {signal}))).body;
  const mine = recipe.author === me?.id;
  show(recipe, mine);
  const work = [photo(recipe, page)];
  if (mine) work.push(standing(recipe, path, page));
  if (recipe.state === "published") {
    at("actions").hidden = false;
    pdf(path, page);
    rating(recipe, path, page);
    saving(recipe, path, page);
    reminder(path, page);
    work.push(seen(path, page));
  }
  await Promise.all(work);
});

function show(recipe, mine) {
  document.title = `${recipe.title} · Crumb`;
  at("recipe").hidden = false;
  at("title").textContent = recipe.title;
  at("summary").textContent = recipe.summary ?? "";
  at("byline").append(make("a", {href: `/cooks/${encodeURIComponent(recipe.author)}`, text: recipe.author_name}),
    recipe.published_at ? ` · ${day(recipe.published_at)}` : "");
  const facts = [recipe.total_minutes && count(recipe.total_minutes, "minute"), recipe.servings && count(recipe.servings, "serving"), ...(recipe.tags ?? [])];
  at("facts").append(...facts.filter(Boolean).map((text) => make("li", {text})));
  at("ingredients").append(...recipe.ingredients.map((text) => make("li", {text})));
  at("steps").append(...recipe.steps.map(({text, minutes}) => make("li", {},
    make("p", {text}), ...(minutes ? [make("p", {class: "minutes", text: count(minutes, "minute")})] : []))));
  at("edit").hidden = !mine;
  at("edit").href = `/recipes/${encodeURIComponent(recipe.id)}/edit`;
}

/** Shows an author how their recipe fares, as long as that changes. */
async function standing(recipe, path, {signal}) {
  const status = new Status(at("standing"));
  if (recipe.state === "draft") {
    status.show({tone: "quiet", title: "A draft: only you can see it", link: {text: "Finish and publish it", href: at("edit").href}});
    return;
  }
  if (!recipe.progress) return;
  const persist = (attempt) => attend(status, attempt, {signal});
  await follow(path, {signal, persist, onLook: ({progress}) => status.show(viewOf(progress)), until: ({progress}) => settled(progress)});
}

/** Counts the view. It is no loss to anybody if one is not counted. */
async function seen(path, {signal}) {
  try {
    await request("POST", `${path}/views`, {signal});
  } catch (error) {
    if (!signal.aborted) console.info("This view was not counted.", error);
  }
}
