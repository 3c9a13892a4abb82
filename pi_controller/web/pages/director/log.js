// What became of the last commands.

import { make, part } from "../dom.js";
import { word } from "../words.js";

/** @import { Commander, Entry } from "./commander.js" */

/**
 * @param {Entry} entry
 * @param {Commander} commander
 */
function line(entry, commander) {
  const item = make("li", `entry ${entry.status}`);
  const body = JSON.stringify(entry.body);
  item.append(make("span", "entry-name", body === "{}" ? entry.name : `${entry.name} ${body}`));
  item.append(make("span", "entry-status", word(entry.status)));
  for (const reason of entry.reasons) item.append(make("p", "entry-reason", reason));
  if (entry.status === "failed" || entry.status === "unsaved") {
    const again = make("button", "", word("sendAgain"));
    again.type = "button";
    again.addEventListener("click", () => commander.sendAgain(entry));
    item.append(again);
  }
  return item;
}

/** @param {Commander} commander */
export function logCard(commander) {
  const list = part("log");
  const draw = () => list.replaceChildren(...commander.entries.map((entry) => line(entry, commander)));
  commander.listen(draw);
  list.append(make("li", "hint", word("logEmpty")));
}
