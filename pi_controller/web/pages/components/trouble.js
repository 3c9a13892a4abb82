// The line at the head of a page: a fault of the controller, or why it does not start.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { word } from "../words.js";
import { symbol } from "./symbol.js";

/** @import { Feed } from "../feed.js" */

/** @param {Feed} feed */
function textOf({ why, picture }) {
  if (why !== "") return `${word("notStartedTitle")}: ${why}`;
  return picture?.health.level === "fault" ? `${word("health_fault")}: ${picture.health.messages.join(" ")}` : "";
}

/** @param {Feed} feed */
export function trouble(feed) {
  const text = textOf(feed);
  return html`<p class="trouble" data-is="trouble" role="alert" ?hidden=${text === ""}>${text === "" ? nothing : html`${symbol("warning")}<span>${text}</span>`}</p>`;
}
