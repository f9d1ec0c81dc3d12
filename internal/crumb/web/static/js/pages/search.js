import {announce, at} from "../dom.js";
import {fill} from "../list.js";
import {count} from "../format.js";
import {recipeCard} from "../recipecard.js";
import {start} from "../shell.js";

start(async ({signal, query}) => {
  const words = (query.get("q") ?? "").trim();
  if (!words) {
    at("heading").textContent = "What are you looking for?";
    at("find").elements.q.focus();
    return;
  }
  at("heading").textContent = `Recipes with “${words}”`;
  document.title = `${words} · Crumb`;
  const found = await fill(at("found"), {
    path: `/api/search?q=${encodeURIComponent(words)}`, signal, show: recipeCard, thing: "recipe",
    empty: {title: "No recipe has these words", note: "One that was just published may need a moment until search finds it."},
  });
  if (found?.recipes?.length) announce(`${count(found.recipes.length, "recipe")}${found.next ? " and more" : ""}`);
});
