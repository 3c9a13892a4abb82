// What was found: each check with its code, its verdict, its figures against their limits, and what to swap or mend.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { repeat } from "../vendor/lit-html/directives/repeat.js";
import { symbol } from "../components/symbol.js";
import { numberText, told, word } from "../words.js";
import { barPlot } from "./bars.js";

/**
 * @import { Said } from "../filling.js"
 * @import { SelftestActions } from "../selftest.js"
 * @typedef {Selftest.Result["verdict"]} Verdict
 */

/** @type {readonly Verdict[]} */
const GRAVEST_FIRST = ["failed", "warning", "skipped", "not_fitted", "passed"];
const OPEN = ["failed", "warning"];

/**
 * A verdict as shape, colour and word.
 * @param {Verdict} verdict
 */
export const verdictMark = (verdict) => html`<span class="verdict" data-verdict=${verdict}>${symbol(`verdict-${verdict}`)}<span>${word(`selftest_verdict_${verdict}`)}</span></span>`;

/**
 * A figure with its unit, where it could be read.
 * @param {Selftest.Value["value"]} value
 * @param {string} unit
 * @param {Said | null} said the value, where it is words
 */
export function figureText(value, unit, said = null) {
  if (value === null) return word("selftest_unread");
  const figure = typeof value === "number" ? numberText(value) : told(value, said);
  return unit === "" ? figure : `${figure} ${unit}`;
}

/** @param {Selftest.Value} figure */
const figureLine = (figure) => html`<tr class=${figure.ok ? "ok" : "bad"}>
  <td>${told(figure.name, figure.name_key)}</td><td class="figure-value">${figureText(figure.value, figure.unit, figure.value_key)}</td><td class="hint">${figure.limit === "" ? "" : word("selftest_limit", { limit: told(figure.limit, figure.limit_key) })}</td>
  <td class="figure-sign">${symbol(figure.ok ? "verdict-passed" : "verdict-failed")}<span class="only-spoken">${word(figure.ok ? "selftest_ok" : "selftest_bad")}</span></td></tr>`;

/** @param {[Verdict, Selftest.Result[]]} entry */
const countPill = ([verdict, results]) => html`<li class="count" data-verdict=${verdict}>${symbol(`verdict-${verdict}`)}<span>${word(`selftest_count_${verdict}`, { count: results.length })}</span></li>`;

/**
 * @param {SelftestActions} actions
 * @param {() => void} redraw
 */
export function resultsCard(actions, redraw) {
  /** @type {Set<string>} */
  const asked = new Set(); // what is being mended: code and number of the finding

  /**
   * @param {string} code
   * @param {number} finding
   */
  async function mend(code, finding) {
    const key = `${code} ${finding}`;
    asked.add(key);
    redraw();
    if (await actions.do("mend", { code, finding })) return; // the next snapshot says what came of it
    asked.delete(key);
    redraw();
  }

  /**
   * @param {string} code
   * @param {Selftest.Finding} finding
   * @param {number} index
   */
  function mending(code, { mended, mend: order }, index) {
    if (mended) return html`<p class="well">${word("selftest_mended")}</p>`;
    if (order === null) return nothing;
    return html`<button type="button" class="strong mend" ?disabled=${asked.has(`${code} ${index}`)} @click=${() => mend(code, index)}>${told(order.label, order.label_key) || word("selftest_mend")}</button>`;
  }

  /**
   * @param {string} code
   * @param {Selftest.Finding} finding
   * @param {number} index
   */
  function findingLine(code, finding, index) {
    const place = finding.where === "" ? nothing : html`<span class="finding-where">${word("selftest_at", finding)}</span>`;
    const swap = html`<p class="finding-part"><span>${word("selftest_part")}</span><b>${told(finding.part, finding.part_key)}</b>${place}</p>`;
    return html`<li class="finding" data-severity=${finding.mended ? "mended" : finding.severity}>
      ${finding.part === "" ? nothing : swap}<p class="finding-words">${told(finding.sentence, finding.sentence_key)}</p>${mending(code, finding, index)}
    </li>`;
  }

  /** @param {Selftest.Result} result */
  function resultLine({ code, title, title_key: titleKey, verdict, sentence, sentence_key: key, findings, plots, values }) {
    return html`<li class="result" data-verdict=${verdict}><details ?open=${OPEN.includes(verdict)}>
      <summary><b class="code">${code}</b><span class="result-title">${told(title, titleKey)}</span>${verdictMark(verdict)}</summary>
      ${findings.length > 0 ? nothing : html`<p class="result-sentence">${told(sentence, key)}</p>`}
      ${findings.length === 0 ? nothing : html`<ul class="findings">${findings.map((finding, index) => findingLine(code, finding, index))}</ul>`}
      ${plots.map((plot) => html`<figure class="plot"><figcaption class="hint">${told(plot.title, plot.title_key)}</figcaption>${barPlot(plot)}</figure>`)}
      ${values.length === 0 ? nothing : html`<div class="table-box"><table class="figures-table"><tbody>${values.map(figureLine)}</tbody></table></div>`}
    </details></li>`;
  }

  /**
   * While it runs the newest is on top, at the end the gravest.
   * @param {Selftest.Result[]} results
   * @param {boolean} running
   */
  return (results, running) => {
    if (results.length === 0) asked.clear();
    const byVerdict = Map.groupBy(results, (result) => result.verdict);
    const found = GRAVEST_FIRST.flatMap((verdict) => /** @type {[Verdict, Selftest.Result[]][]} */ ([[verdict, byVerdict.get(verdict) ?? []]])).filter(([, own]) => own.length > 0);
    const ordered = running ? results.toReversed() : found.flatMap(([, own]) => own);
    return html`<section class="card results-card" ?hidden=${results.length === 0}>
      <h2>${word("selftest_results")}</h2>
      <ul class="counts">${found.map(countPill)}</ul>
      <ol class="results">${repeat(ordered, ({ code }) => code, resultLine)}</ol>
    </section>`;
  };
}
