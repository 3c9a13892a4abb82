// The reports that are kept, for download as data and as a printed page, and what has changed of each node since the
// report before.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { wayTo } from "../components/language.js";
import { dateText, hasWord, told, word } from "../words.js";
import { figureText, verdictMark } from "./results.js";

/** @import { WordKey } from "../words.js" */

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

/** @param {() => void} redraw */
export function reportsCard(redraw) {
  /** @type {string | null} */
  let asked = null;
  /** @type {Selftest.ReportView[]} */
  let reports = [];
  let failed = false;

  async function fetchList() {
    const response = await fetch("/api/selftest/reports").catch((problem) => {
      if (!(problem instanceof TypeError)) throw problem;
      return null;
    });
    failed = !response?.ok;
    if (response?.ok) reports = (await response.json()).reports;
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

/** @param {Selftest.Change} change */
const changeLine = ({ board, uid, figure, figure_key: name, before, before_key: was, now, now_key: is, unit, worse }) => html`<tr class=${worse ? "bad" : ""}>
  <td>${board ?? uid}</td><td>${told(figure, name)}</td><td>${figureText(before, unit, was)}</td><td><b>${figureText(now, unit, is)}</b>${worse ? html`<span class="worse">${word("selftest_worse")}</span>` : nothing}</td></tr>`;

/**
 * The notable first; nothing where there is no report to compare with.
 * @param {Selftest.Report | null} report
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
