// What was found, now and in earlier reports.

import { repeat } from "../vendor/lit-html/directives/repeat.js";
import { html, nothing, svg } from "../vendor/lit-html/lit-html.js";
import { symbol } from "../lib/components.js";
import { redraw } from "../lib/dom.js";
import { jsonOf } from "../lib/feed.js";
import { dateText, hasWord, numberText, told, wayTo, word } from "../lib/words.js";

/**
 * @import { Said } from "../lib/filling.js"
 * @import { WordKey } from "../lib/words.js"
 * @import { SelftestActions } from "./selftest.js"
 */

// Counts as bars, from left to right, with the numbers on them.

const [WIDTH, HEIGHT, FOOT, HEAD] = [420, 150, 34, 18];

/**
 * @param {number} x
 * @param {number} y
 * @param {string | number} content
 */
const text = (x, y, content, look = "plot-text") => svg`<text x=${x} y=${y} class=${look} text-anchor="middle">${content}</text>`;

/** @param {Selftest.Plot} plot */
function barPlot({ title, title_key: titleKey, unit, bars: counted }) {
  const bars = counted.map(({ label, label_key: key, count }) => ({ label: told(label, key), count }));
  const most = Math.max(1, ...bars.map((bar) => bar.count));
  const step = WIDTH / Math.max(1, bars.length);
  const said = bars.filter((bar) => bar.count > 0).map((bar) => `${bar.label} ${unit}: ${bar.count}`);
  const bar = (/** @type {typeof bars[number]} */ { label, count }, /** @type {number} */ index) => {
    const height = ((HEIGHT - FOOT - HEAD) * count) / most;
    const middle = (index + 0.5) * step;
    const top = HEIGHT - FOOT - height;
    const labelled = index % Math.ceil(bars.length / 12) === 0;
    return svg`<rect class="bar-one" x=${middle - step * 0.4} y=${top} width=${step * 0.8} height=${Math.max(height, 1)} rx="2"></rect>
      ${count > 0 ? text(middle, top - 4, count, "plot-count") : nothing}${labelled ? text(middle, HEIGHT - FOOT + 15, label) : nothing}`;
  };
  return html`<svg class="bars" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${told(title, titleKey)}. ${said.join(", ")}">
    ${bars.map(bar)}${text(WIDTH / 2, HEIGHT - 3, unit)}</svg>`;
}

// What was found: each check with its code, its verdict, its figures against their limits, and what to swap or mend.

/** @typedef {Selftest.CheckResult["verdict"]} Verdict */

/** @type {readonly Verdict[]} */
const GRAVEST_FIRST = ["failed", "warning", "skipped", "not_fitted", "passed"];
const OPEN = ["failed", "warning"];

/**
 * A verdict as shape, colour and word.
 * @param {Verdict} verdict
 */
const verdictMark = (verdict) => html`<span class="verdict" data-verdict=${verdict}>${symbol(`verdict-${verdict}`)}<span>${word(`selftest_verdict_${verdict}`)}</span></span>`;

/**
 * A figure with its unit, where it could be read.
 * @param {Selftest.Value["value"]} value
 * @param {string} unit
 * @param {Said | null} said the value, where it is words
 */
function figureText(value, unit, said = null) {
  if (value === null) return word("selftest_unread");
  const figure = typeof value === "number" ? numberText(value) : told(value, said);
  return unit === "" ? figure : `${figure} ${unit}`;
}

/** @param {Selftest.Value} figure */
const figureLine = (figure) => html`<tr class=${figure.ok ? "ok" : "bad"}>
  <td>${told(figure.name, figure.name_key)}</td><td class="figure-value">${figureText(figure.value, figure.unit, figure.value_key)}</td><td class="hint">${figure.limit === "" ? "" : word("selftest_limit", { limit: told(figure.limit, figure.limit_key) })}</td>
  <td class="figure-sign">${symbol(figure.ok ? "verdict-passed" : "verdict-failed")}<span class="only-spoken">${word(figure.ok ? "selftest_ok" : "selftest_bad")}</span></td></tr>`;

/** @param {[Verdict, Selftest.CheckResult[]]} entry */
const countPill = ([verdict, results]) => html`<li class="count" data-verdict=${verdict}>${symbol(`verdict-${verdict}`)}<span>${word(`selftest_count_${verdict}`, { count: results.length })}</span></li>`;

/** @param {SelftestActions} actions */
export function resultsCard(actions) {
  /** @type {Set<string>} */
  const asked = new Set(); // what is being mended: code and number of the finding

  /**
   * @param {string} code
   * @param {number} finding
   */
  async function mend(code, finding) {
    const key = `${code} ${finding}`;
    asked.add(key);
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

  /** @param {Selftest.CheckResult} result */
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
   * @param {Selftest.CheckResult[]} results
   * @param {boolean} running
   */
  return (results, running) => {
    if (results.length === 0) asked.clear();
    const byVerdict = Map.groupBy(results, (result) => result.verdict);
    const found = GRAVEST_FIRST.flatMap((verdict) => /** @type {[Verdict, Selftest.CheckResult[]][]} */ ([[verdict, byVerdict.get(verdict) ?? []]])).filter(([, own]) => own.length > 0);
    const ordered = running ? results.toReversed() : found.flatMap(([, own]) => own);
    return html`<section class="card results-card" ?hidden=${results.length === 0}>
      <h2>${word("selftest_results")}</h2>
      <ul class="counts">${found.map(countPill)}</ul>
      <ol class="results">${repeat(ordered, ({ code }) => code, resultLine)}</ol>
    </section>`;
  };
}

// The reports that are kept, for download as data and as a printed page, and what has changed of each node since the
// report before.

const MOST_CHANGES = 30;

/**
 * @param {string} name
 * @param {WordKey} key
 */
const download = (name, key) => html`<a class="like-button" href=${wayTo(`/api/selftest/reports/${encodeURIComponent(name)}`)} download=${name}>${word(key)}</a>`;

/** @param {Selftest.ReportView} report */
function reportLine({ name, when, level, operator, verdict, sentence, sentence_key: mistake }) {
  const stem = name.replace(/\.json$/, "");
  const key = `selftest_level_${level}`;
  const kind = hasWord(key) ? word(key) : level;
  return html`<li class="report">
    <div class="report-words">
      <b>${when === null ? stem : dateText(when)}</b><span class="hint">${operator === null ? kind : `${kind}, ${operator}`}</span>
      ${verdict === null ? nothing : verdictMark(verdict)}${sentence === null ? nothing : html`<span class="mistake">${told(sentence, mistake)}</span>`}
    </div>
    ${download(`${stem}.pdf`, "selftest_pdf")}${download(`${stem}.json`, "selftest_json")}
  </li>`;
}

export function reportsCard() {
  /** @type {string | null} */
  let asked = null;
  /** @type {Selftest.ReportView[]} */
  let reports = [];
  let failed = false;

  async function fetchList() {
    const found = await jsonOf("/api/selftest/reports");
    failed = found === null;
    reports = found?.reports ?? reports;
    redraw();
  }

  return {
    /**
     * Asks anew whenever a self-test has ended.
     * @param {Selftest.SelftestSnapshot} snapshot
     */
    take({ session, standing }) {
      const wanted = `${session} ${standing === "running"}`;
      if (wanted === asked) return;
      asked = wanted;
      fetchList();
    },
    draw: () => html`<section class="card reports-card">
      <h2>${word("selftest_reports")}</h2>
      <p class="hint" ?hidden=${!failed && reports.length > 0}>${word(failed ? "selftest_reports_failed" : "selftest_reports_none")}</p>
      <ol class="reports">${reports.map(reportLine)}</ol>
    </section>`,
  };
}

/** @param {Selftest.FigureChange} change */
const changeLine = ({ board, uid, figure, figure_key: name, before, before_key: was, now, now_key: is, unit, worse }) => html`<tr class=${worse ? "bad" : ""}>
  <td>${board ?? uid}</td><td>${told(figure, name)}</td><td>${figureText(before, unit, was)}</td><td><b>${figureText(now, unit, is)}</b>${worse ? html`<span class="worse">${word("selftest_worse")}</span>` : nothing}</td></tr>`;

/**
 * The notable first; nothing where there is no report to compare with.
 * @param {Selftest.SelfTestReport | null} report
 */
export function trendCard(report) {
  const before = report?.compared_with ?? null;
  if (report === null || before === null) return nothing;
  const changes = report.changes.toSorted((one, other) => Number(other.worse) - Number(one.worse));
  const when = dateText(before);
  const worse = changes.filter((change) => change.worse).length;
  const more = changes.length - MOST_CHANGES;
  return html`<section class="card trend-card" data-is="trend-card">
    <h2>${word("selftest_trend")}</h2>
    <p class="hint">${worse === 0 ? word("selftest_trend_same", { when }) : word("selftest_trend_with", { when, count: worse })}</p>
    <div class="table-box"><table class="trend" ?hidden=${changes.length === 0}>
      <thead><tr><th>${word("selftest_trend_board")}</th><th>${word("selftest_trend_figure")}</th><th>${word("selftest_trend_before")}</th><th>${word("selftest_trend_now")}</th></tr></thead>
      <tbody>${changes.slice(0, MOST_CHANGES).map(changeLine)}${more > 0 ? html`<tr><td class="hint">${word("selftest_trend_more", { count: more })}</td></tr>` : nothing}</tbody>
    </table></div>
  </section>`;
}
