// What happens while a question stands: how far it has got, and the contacts of the pause button.

import { make, show } from "../dom.js";
import { word } from "../words.js";

/**
 * @param {"nc" | "no"} contact
 * @param {boolean | null} closed
 */
function sign(contact, closed) {
  const element = make("span", "live-contact", [make("span", "", word(`hwContact_${contact}`)), make("b", "", word(closed ? "hwClosed" : "hwOpen"))]);
  element.dataset.level = closed ? "closed" : "open";
  return element;
}

/**
 * `view`: the live view of the question, or null.
 * @param {HTMLElement} root
 * @param {Selftest.LiveView | null} view
 */
export function drawLive(root, view) {
  show(root, view !== null);
  if (view === null) return;
  const dots = Array.from({ length: view.of }, (_, index) => make("li", index < view.done ? "done" : ""));
  const { closed } = view;
  const contacts = closed === null ? [] : [sign("no", closed[0]), sign("nc", closed[1])];
  root.replaceChildren(make("p", "live-text", view.text), make("ol", "live-dots", dots), make("div", "live-contacts", contacts));
}
