// Parts of the page that a small window shows only when they are asked for, over the others; a wide one shows most of them at their place.

import { html } from "../vendor/lit-html/lit-html.js";
import { word } from "../words.js";

/** @typedef {"replace" | "message" | "timer" | "end" | "log"} Drawer */

/** @param {Drawer} name */
const idOf = (name) => `drawer-${name}`;

/**
 * @param {Drawer} name
 * @param {string} title
 * @param {unknown} content
 */
export function drawer(name, title, content) {
  return html`<section class="card drawer" id=${idOf(name)} popover data-is=${idOf(name)}>
    <header class="drawer-top"><h2>${title}</h2><button type="button" class="plain drawer-close" popovertarget=${idOf(name)} popovertargetaction="hide" aria-label=${word("close")}>×</button></header>
    ${content}
  </section>`;
}

/**
 * @param {Drawer} name
 * @param {string} text
 */
export const opener = (name, text) => html`<button type="button" class="opener opens-${name}" data-is="open-${name}" popovertarget=${idOf(name)}>${text}</button>`;

/** @param {Drawer} name */
export function closeDrawer(name) {
  document.getElementById(idOf(name))?.hidePopover();
}
