import {at} from "../dom.js";
import {fill} from "../list.js";
import {recipeCard} from "../recipecard.js";
import {start} from "../shell.js";

start(async ({signal}) => {
  await fill(at("feed"), {
    path: "/api/feed", signal, show: recipeCard, thing: "recipe",
    empty: {title: "Your feed is empty", note: "Follow cooks, and what they publish comes here."},
  });
}, {members: true});
