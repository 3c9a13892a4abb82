// What was found: each check with its code, its verdict, its figures against their limits, and what to swap or mend.

import { make, part, show, symbol } from "../dom.js";
import { word } from "../words.js";
import { act } from "./acts.js";
import { barPlot } from "./bars.js";

/** @typedef {Selftest.Result["verdict"]} Verdict */

/** @type {readonly Verdict[]} */
const GRAVEST_FIRST = ["failed", "warning", "skipped", "not_fitted", "passed"];
const OPEN = ["failed", "warning"];

/**
 * A verdict as shape, colour and word.
 * @param {Verdict} verdict
 */
export function verdictMark(verdict) {
  const mark = make("span", "verdict", [symbol(`verdict-${verdict}`), make("span", "", word(`stVerdict_${verdict}`))]);
  mark.dataset.verdict = verdict;
  return mark;
}

/** @param {Selftest.Value} figure */
function figureText({ value, unit }) {
  if (value === null) return word("stUnread");
  return unit === "" ? String(value) : `${value} ${unit}`;
}

/** @param {Selftest.Value} value */
function figureLine(value) {
  const line = make("tr", value.ok ? "ok" : "bad", [make("td", "", value.name), make("td", "figure-value", figureText(value)), make("td", "hint", value.limit === "" ? "" : word("stLimit", value)), make("td", "figure-sign", [symbol(value.ok ? "verdict-passed" : "verdict-failed"), make("span", "only-spoken", word(value.ok ? "stOk" : "stBad"))])]);
  return line;
}

/**
 * @param {Selftest.Result} result
 * @param {Selftest.Finding} finding
 * @param {number} index
 */
function mendButton(result, finding, index) {
  const button = make("button", "strong mend", finding.mend?.label || word("stMend"));
  button.type = "button";
  button.addEventListener("click", async () => {
    button.disabled = true;
    button.disabled = await act("mend", { code: result.code, finding: index });
  });
  return button;
}

/**
 * @param {Selftest.Result} result
 * @param {Selftest.Finding} finding
 * @param {number} index
 */
function findingLine(result, finding, index) {
  const place = finding.where === "" ? [] : [make("span", "finding-where", word("stAt", finding))];
  const swap = finding.part === "" ? [] : [make("p", "finding-part", [make("span", "", word("stPart")), make("b", "", finding.part), ...place])];
  const line = make("li", "finding", [...swap, make("p", "finding-words", finding.sentence)]);
  line.dataset.severity = finding.mended ? "mended" : finding.severity;
  if (finding.mended) line.append(make("p", "well", word("stMended")));
  else if (finding.mend !== null) line.append(mendButton(result, finding, index));
  return line;
}

/** @param {Selftest.Result} result */
function resultLine(result) {
  const head = make("summary", "", [make("b", "code", result.code), make("span", "result-title", result.title), verdictMark(result.verdict)]);
  const box = make("details", "", [head]);
  const saidBelow = result.findings.some((finding) => result.sentence.startsWith(finding.sentence));
  if (!saidBelow) box.append(make("p", "result-sentence", result.sentence));
  if (result.findings.length > 0) box.append(make("ul", "findings", result.findings.map((finding, index) => findingLine(result, finding, index))));
  for (const plot of result.plots) box.append(make("figure", "plot", [make("figcaption", "hint", plot.title), barPlot(plot)]));
  if (result.values.length > 0) box.append(make("div", "table-box", [make("table", "figures-table", [make("tbody", "", result.values.map(figureLine))])]));
  const line = make("li", "result", [box]);
  line.dataset.verdict = result.verdict;
  box.open = OPEN.includes(result.verdict);
  return line;
}

/** @param {[Verdict, Selftest.Result[]]} entry */
function countPill([verdict, results]) {
  const item = make("li", "count", [symbol(`verdict-${verdict}`), make("span", "", word("stCount", { n: results.length, verdict: word(`stVerdict_${verdict}`) }))]);
  item.dataset.verdict = verdict;
  return item;
}

export function resultsCard() {
  /** @type {Map<string, { said: string, element: HTMLElement }>} */
  const lines = new Map(); // by code, with what it was made of

  /** @param {Selftest.Result} result */
  function lineOf(result) {
    const said = JSON.stringify(result);
    const known = lines.get(result.code);
    if (known?.said === said) return known.element;
    const element = resultLine(result);
    const open = known?.element.querySelector("details")?.open;
    if (open !== undefined) element.querySelector("details")?.toggleAttribute("open", open);
    lines.set(result.code, { said, element });
    return element;
  }

  return {
    /**
     * While it runs the newest is on top, at the end the gravest.
     * @param {Pick<Selftest.SelftestSnapshot, "results" | "standing">} snapshot
     */
    take({ results, standing }) {
      show(part("results-card"), results.length > 0);
      const byVerdict = Map.groupBy(results, (result) => result.verdict);
      const ordered = standing === "running" ? results.toReversed() : GRAVEST_FIRST.flatMap((verdict) => byVerdict.get(verdict) ?? []);
      const wanted = ordered.map(lineOf);
      const list = part("results");
      wanted.forEach((element, index) => {
        if (list.children[index] !== element) list.insertBefore(element, list.children[index] ?? null);
      });
      while (list.children.length > wanted.length) list.lastChild?.remove();
      part("counts").replaceChildren(...GRAVEST_FIRST.filter((verdict) => byVerdict.has(verdict)).map((verdict) => countPill([verdict, byVerdict.get(verdict) ?? []])));
      if (results.length === 0) lines.clear();
    },
  };
}
