// The head of the technician's pages: the way to the others, whether news are coming, and what is wrong with the controller.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { word } from "../words.js";
import { symbol } from "./symbol.js";
import { themeButton } from "./theme_button.js";
import { trouble } from "./trouble.js";

/** @import { Feed } from "../feed.js" */

const TABS = /** @type {const} */ ([
  ["/technician", "tab-map", "tabMap"],
  ["/technician/selftest", "tab-selftest", "tabSelftest"],
  ["/technician/hardware", "tab-hardware", "tabHardware"],
]);

/**
 * @param {{ path: (typeof TABS)[number][0], feed: Feed, lost?: boolean, summary?: unknown }} page
 */
export function technicianHead({ path, feed, lost = false, summary = nothing }) {
  return html`<header class="top">
    <h1>${word("technicianTitle")}</h1>
    <nav class="tabs" aria-label=${word("tabsLabel")}>${TABS.map(([to, sign, key]) => html`
      <a href=${to} aria-current=${to === path ? "page" : nothing}>${symbol(sign)}<span>${word(key)}</span></a>`)}</nav>
    ${summary}
    <nav class="ways"><a href="/">${word("toHall")}</a><a href="/director">${word("toDirector")}</a>${themeButton()}</nav>
    <p class="lost" data-is="lost" role="status" ?hidden=${!lost}>${symbol("link")}<span><b>${word("tablesLost")}</b> ${word("tablesLostHelp")}</span></p>
    ${trouble(feed)}
  </header>`;
}
