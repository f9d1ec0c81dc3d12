/** @param {string} id */
export const at = (id) => document.getElementById(id);

/**
 * Makes an element. Text is text, never HTML: what people wrote stays what it is.
 * @param {string} tag
 * @param {Record<string, any>} [attributes] "text" is its text, "class" its class;
 *   true is an attribute without a value, false and undefined none
 * @param {...(Node | string)} children
 * @returns {HTMLElement}
 */
export function make(tag, {text, ...attributes} = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  if (text !== undefined) element.textContent = text;
  element.append(...children);
  return element;
}

/**
 * Copies what is in a template.
 * @param {string} id the template's
 * @returns {HTMLElement}
 */
export const copy = (id) => at(id).content.firstElementChild.cloneNode(true);

/**
 * Tells somebody who does not see the page.
 * @param {string} text
 */
export function announce(text) {
  at("news").textContent = text;
}
