import {make} from "./dom.js";
import {count, day} from "./format.js";

/**
 * Makes what lists show of a recipe.
 * @param {any} card the API's
 * @returns {HTMLLIElement}
 */
export function recipeCard(card) {
  const title = card.id ? make("a", {class: "cover", href: `/recipes/${encodeURIComponent(card.id)}`, text: card.title}) : card.title;
  const facts = [card.minutes ? count(card.minutes, "minute") : "", card.published_at ? day(card.published_at) : ""].filter(Boolean);
  const by = card.author
    ? make("a", {href: `/cooks/${encodeURIComponent(card.author)}`, text: card.author_name})
    : make("span", {text: card.author_name ?? ""});
  return make("li", {class: "card recipe-card", "data-id": card.id},
    picture(card.photo_key),
    make("div", {class: "card-body"},
      make("h3", {class: "card-name"}, title),
      make("p", {class: "card-note", text: card.summary ?? ""}),
      make("p", {class: "card-facts"}, by, ...(facts.length ? [` · ${facts.join(" · ")}`] : []))));
}

/**
 * Shows the photo of an upload, once there is one: sizes are JPEG, or PNG where
 * the photo has transparent parts.
 * @param {string | undefined} key the upload's: uploads/<client>/<id>
 * @param {string} [alt]
 * @returns {HTMLElement}
 */
export function picture(key, alt = "") {
  const host = make("div", {class: "picture"}, make("img", {class: "picture-none", src: new URL("../icon.svg", import.meta.url).href, alt: ""}));
  const id = key?.split("/").at(-1);
  if (id) show(host, [`/photos/${id}/small.jpg`, `/photos/${id}/small.png`], alt);
  return host;
}

/** Shows the first of these pictures that is there. */
function show(host, [path, ...others], alt) {
  const image = make("img", {class: "picture-image", alt, decoding: "async", hidden: true});
  image.onload = () => { image.hidden = false; };
  image.onerror = () => {
    image.remove();
    if (others.length) show(host, others, alt);
  };
  image.src = path;
  host.append(image);
}
