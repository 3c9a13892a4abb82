// The reports that are kept, for download as data and as a printed page.

import { make, part, setText, show } from "../dom.js";
import { hasWord, word } from "../words.js";
import { verdictMark } from "./results.js";

/** @import { WordKey } from "../words.js" */

/**
 * A moment as people write it, in the time of this place.
 * @param {string} iso
 */
export function whenText(iso) {
  return new Date(iso).toLocaleString("en-GB", { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });
}

/**
 * @param {string} name
 * @param {WordKey} key
 */
function download(name, key) {
  const link = make("a", "like-button", word(key));
  link.href = `/api/selftest/reports/${encodeURIComponent(name)}`;
  link.download = name;
  return link;
}

/** @param {Selftest.ReportView} report */
function reportLine(report) {
  const stem = report.name.replace(/\.json$/, "");
  const title = report.when === null ? stem : whenText(report.when);
  const key = `stLevel_${report.level}`;
  const level = hasWord(key) ? word(key) : report.level;
  const words = make("div", "report-words", [make("b", "", title), make("span", "hint", report.operator === null ? level : `${level}, ${report.operator}`)]);
  if (report.verdict !== null) words.append(verdictMark(report.verdict));
  if (report.sentence !== null) words.append(make("span", "mistake", report.sentence));
  return make("li", "report", [words, download(`${stem}.pdf`, "stPdf"), download(`${stem}.json`, "stJson")]);
}

export function reportsCard() {
  /** @type {string | null} */
  let asked = null;

  async function fetchList() {
    const response = await fetch("/api/selftest/reports");
    if (!response.ok) return setText(part("reports-none"), word("stReportsFailed"));
    const { reports } = await response.json();
    part("reports").replaceChildren(...reports.map(reportLine));
    show(part("reports-none"), reports.length === 0);
  }

  return {
    /**
     * Asks anew whenever a self-test has ended.
     * @param {Selftest.SelftestSnapshot} snapshot
     */
    async take({ session, standing }) {
      const wanted = `${session} ${standing === "running"}`;
      if (wanted === asked) return;
      asked = wanted;
      try {
        await fetchList();
      } catch (problem) {
        if (!(problem instanceof TypeError)) throw problem;
        setText(part("reports-none"), word("stReportsFailed"));
      }
    },
  };
}
