// What stands at the head of pages: the ways to the others, whether news are coming, what is wrong with the controller.

import "../symbols_staff.js";
import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { firstTrouble } from "../health.js";
import { allTold, word } from "../words.js";
import { linkLine } from "./linked.js";
import { languageMenu, themeButton, transportWarning, wayTo } from "./language.js";
import { symbol } from "./symbol.js";

/** @import { Feed } from "../feed.js" */

const TABS = /** @type {const} */ ([
  ["/technician", "tab-map", "tab_map"],
  ["/technician/selftest", "tab-selftest", "tab_selftest"],
  ["/technician/hardware", "tab-hardware", "tab_hardware"],
]);

/** @param {Feed} feed */
function troubleText({ why, picture }) {
  if (why !== "") return word("not_started", { why });
  if (picture === null || firstTrouble(picture.health).level !== "fault") return "";
  return word("fault", { messages: allTold(picture.health.messages, picture.health.items).join(" ") });
}

/**
 * A fault of the controller, or why it does not start.
 * @param {Feed} feed
 */
export function trouble(feed) {
  const text = troubleText(feed);
  return html`<p class="trouble" data-is="trouble" role="alert" ?hidden=${text === ""}>${text === "" ? nothing : html`${symbol("warning")}<span>${text}</span>`}</p>`;
}

/**
 * The head of the technician's pages.
 * @param {{ path: (typeof TABS)[number][0], feed: Feed, lost?: boolean, summary?: unknown }} page
 */
export function technicianHead({ path, feed, lost = false, summary = nothing }) {
  return html`<header class="top">
    ${transportWarning()}
    <h1>${word("technician_title")}</h1>
    <nav class="tabs" aria-label=${word("tabs_label")}>${TABS.map(([to, sign, key]) => html`
      <a href=${wayTo(to)} aria-current=${to === path ? "page" : nothing}>${symbol(sign)}<span>${word(key)}</span></a>`)}</nav>
    ${summary}
    <nav class="ways"><a href=${wayTo("/")}>${word("to_hall")}</a><a href=${wayTo("/director")}>${word("to_director")}</a>${languageMenu()}${themeButton()}</nav>
    <p class="lost" data-is="lost" role="status" ?hidden=${!lost}>${symbol("link")}<span><b>${word("tables_lost")}</b> ${word("tables_lost_help")}</span></p>
    ${linkLine(feed.picture, feed.coreNow())}
    ${trouble(feed)}
  </header>`;
}
