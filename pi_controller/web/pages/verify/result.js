// One checked file on the page: the verdict, what it shows and what not, and every sentence of the check.

import { openAfter, shownBy, verdictOf } from "./plain.js";
import { inWords, own } from "./said.js";

/**
 * @import { Said } from "../filling.js"
 * @import { Report, Seen } from "./check.js"
 */

const LONGEST_SENTENCE = 1000; // a sentence quotes from the file, which may be anything
const SIGNS = { proved: "✓", partly: "…", unproved: "…", refused: "✕" };

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {string} text
 * @param {Node[]} children
 */
function element(tag, text, children = []) {
  const made = document.createElement(tag);
  made.append(...(text === "" ? [] : [text]), ...children);
  return made;
}

/** @param {Said} sentence */
function item(sentence) {
  const made = element("li", Array.from(inWords(sentence)).slice(0, LONGEST_SENTENCE).join(""));
  made.dataset.key = sentence.key;
  return made;
}

/**
 * @param {string} title
 * @param {Said[]} sentences
 */
function part(title, sentences) {
  return sentences.length === 0 ? [] : [element("h3", title), element("ul", "", sentences.map(item))];
}

/**
 * @param {string} name of the file, empty where it is the only one
 * @param {Report} report
 * @param {Seen} seen
 * @param {boolean} sealOfLink
 */
export function resultOf(name, report, seen, sealOfLink) {
  const { title, means } = verdictOf(report);
  const verdict = inWords(title);
  const sign = element("span", SIGNS[report.verdict]);
  sign.setAttribute("aria-hidden", "true");
  const article = element("article", "", [
    ...(name === "" ? [] : [element("p", name)]),
    element("h2", "", [sign, new Text(verdict)]),
    element("p", inWords(means)),
    ...(report.verdict === "refused" ? [element("ul", "", report.sentences.slice(-1).map(item))] : []),
    ...part(own("verify_shown"), shownBy(report, seen)),
    ...part(own("verify_open"), openAfter(report, seen, sealOfLink)),
    element("details", "", [element("summary", own("verify_details")), element("ol", "", report.sentences.map(item)), element("p", own("verify_details_same"))]),
  ]);
  article.dataset.verdict = report.verdict;
  if (report.turns.late > 0 || report.opening?.rehearsal) article.dataset.late = "";
  return { title: verdict, article };
}

/**
 * What several games show together: which seals of their evening they have, and which are missing.
 * @param {{ whole: boolean, sentences: Said[] }} found
 */
export function eveningOf({ whole, sentences }) {
  const made = element("aside", "", part(own("verify_evening"), sentences));
  made.dataset.whole = String(whole);
  return made;
}
