// What has changed of each node since the report before, the notable first.

import { make, part, setText, show } from "../dom.js";
import { word } from "../words.js";
import { whenText } from "./reports.js";

const MOST = 30;

/**
 * @param {Selftest.Change["now"]} value
 * @param {string} unit
 */
function valueText(value, unit) {
  if (value === null) return word("stUnread");
  return unit === "" ? String(value) : `${value} ${unit}`;
}

/** @param {Selftest.Change} change */
function line(change) {
  const now = make("td", "", [make("b", "", valueText(change.now, change.unit))]);
  if (change.worse) now.append(make("span", "worse", word("stWorse")));
  return make("tr", change.worse ? "bad" : "", [make("td", "", change.board ?? change.uid), make("td", "", change.figure), make("td", "", valueText(change.before, change.unit)), now]);
}

export function trendCard() {
  return {
    /** @param {Selftest.Report | null} report */
    take(report) {
      const before = report?.compared_with ?? null;
      show(part("trend-card"), before !== null);
      if (report === null || before === null) return;
      const changes = report.changes.toSorted((one, other) => Number(other.worse) - Number(one.worse));
      const worse = changes.filter((change) => change.worse).length;
      setText(part("trend-with"), word("stTrendWith", { when: whenText(before), worse }));
      part("trend").replaceChildren(...changes.slice(0, MOST).map(line));
      if (changes.length > MOST) part("trend").append(make("tr", "", [make("td", "hint", word("stTrendMore", { n: changes.length - MOST }))]));
      show(part("trend-table"), changes.length > 0);
    },
  };
}
