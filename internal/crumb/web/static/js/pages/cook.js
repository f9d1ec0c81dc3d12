import {request} from "../api.js";
import {followers} from "../cook/followers.js";
import {spread, watch} from "../cook/spread.js";
import {at} from "../dom.js";
import {fill} from "../list.js";
import {notes} from "../publications.js";
import {recipeCard} from "../recipecard.js";
import {start} from "../shell.js";

start(async ({signal, me, id, load}) => {
  const path = `/api/cooks/${encodeURIComponent(id)}`;
  const list = at("recipes"), mine = me?.id === id;
  // What was just sent is here before anything has been loaded.
  if (mine) for (const note of notes().filter(({author}) => author.id === id).reverse()) spread(note, {list, signal});
  const cook = (await load(() => request("GET", path, {signal}))).body;
  document.title = `${cook.name} · Crumb`;
  at("name").textContent = cook.name;
  followers(cook, path, {signal, me});
  if (cook.unpublished?.length) {
    at("unpublished-part").hidden = false;
    at("unpublished").append(...cook.unpublished.map(recipeCard));
  }
  await fill(list, {
    path, first: cook, signal, thing: "recipe", empty: {title: "No recipes yet"},
    rows: ({recipes}) => (recipes ?? []).filter((entry) => !list.querySelector(`[data-id="${CSS.escape(entry.id)}"]`)),
    show: (entry) => {
      const card = recipeCard(entry);
      if (mine) watch(card, entry, signal);
      return card;
    },
  });
});
