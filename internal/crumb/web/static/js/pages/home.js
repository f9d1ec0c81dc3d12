import {at, make} from "../dom.js";
import {fill} from "../list.js";
import {moment} from "../format.js";
import {recipeCard} from "../recipecard.js";
import {start} from "../shell.js";

start(async ({signal}) => {
  const trending = fill(at("trending"), {
    path: "/api/trending", signal, show: recipeCard, thing: "recipe", empty: {title: "Nothing is trending yet", note: "Recipes that are seen and saved will be."},
  }).then((list) => {
    if (list?.recipes?.length && list.as_of) at("as-of").replaceChildren("As of ", make("time", {datetime: list.as_of, text: moment(list.as_of)}));
  });
  const newest = fill(at("newest"), {path: "/api/recipes", signal, show: recipeCard, thing: "recipe", empty: {title: "No recipes yet", note: "Publish the first one."}});
  await Promise.all([trending, newest]);
});
