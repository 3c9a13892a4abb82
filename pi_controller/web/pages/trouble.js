// The line at the head of a page of the technician: a fault of the controller, or why it does not start.

import { make, part, show, symbol } from "./dom.js";
import { Feed } from "./feed.js";
import { word } from "./words.js";

/** @param {Feed} feed */
function wrong(feed) {
  if (feed.why !== "") return [word("notStartedTitle"), feed.why];
  const health = feed.picture?.health;
  return health?.level === "fault" ? [word("health_fault"), ...health.messages] : [];
}

/** @param {Feed} feed */
function draw(feed) {
  const [title, ...sentences] = wrong(feed);
  const text = title === undefined ? "" : `${title}: ${sentences.join(" ")}`;
  const line = part("trouble");
  if (line.textContent === text) return; // said once, not with each picture
  show(line, text !== "");
  line.replaceChildren(...(text === "" ? [] : [symbol("warning"), make("span", "", text)]));
}

/** The room's feed; it keeps the line true for as long as the page is open. */
export function troubleFeed() {
  const feed = new Feed({ onPicture: () => {}, onNews: () => draw(feed) });
  return feed;
}
