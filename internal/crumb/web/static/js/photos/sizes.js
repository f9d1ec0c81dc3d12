import {make} from "../dom.js";
import {capital, size} from "../format.js";

/**
 * Makes the line of one size of a photo.
 * @param {{name: string, url: string, width: number, height: number, bytes: number}} made
 */
export function sizeItem({name, url, width, height, bytes}) {
  return make("li", {}, make("a", {href: url, target: "_blank", rel: "noopener"},
    make("span", {class: "size-name", text: capital(name)}),
    make("span", {class: "size-pixels", text: `${width} × ${height}`}),
    make("span", {class: "size-bytes", text: size(bytes)})));
}
