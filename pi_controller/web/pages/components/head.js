// What stands at the head of pages: the ways to the others, whether news are coming, what is wrong with the controller.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { word } from "../words.js";
import { symbol } from "./symbol.js";

/** @import { Feed } from "../feed.js" */

const TABS = /** @type {const} */ ([
  ["/technician", "tab-map", "tabMap"],
  ["/technician/selftest", "tab-selftest", "tabSelftest"],
  ["/technician/hardware", "tab-hardware", "tabHardware"],
]);

/** What `theme.js` looks for: the button that changes between dark and light. */
export const themeButton = () => html`<button class="plain" data-is="theme" aria-label=${word("theme")}>◐</button>`;

/** @param {Feed} feed */
function troubleText({ why, picture }) {
  if (why !== "") return `${word("notStartedTitle")}: ${why}`;
  return picture?.health.level === "fault" ? `${word("health_fault")}: ${picture.health.messages.join(" ")}` : "";
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
    <h1>${word("technicianTitle")}</h1>
    <nav class="tabs" aria-label=${word("tabsLabel")}>${TABS.map(([to, sign, key]) => html`
      <a href=${to} aria-current=${to === path ? "page" : nothing}>${symbol(sign)}<span>${word(key)}</span></a>`)}</nav>
    ${summary}
    <nav class="ways"><a href="/">${word("toHall")}</a><a href="/director">${word("toDirector")}</a>${themeButton()}</nav>
    <p class="lost" data-is="lost" role="status" ?hidden=${!lost}>${symbol("link")}<span><b>${word("tablesLost")}</b> ${word("tablesLostHelp")}</span></p>
    ${trouble(feed)}
  </header>`;
}
