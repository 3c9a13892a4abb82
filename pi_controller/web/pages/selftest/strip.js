// The strip on top: how far the test is, or how it ended.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { symbol } from "../components/symbol.js";
import { allTold, told, word } from "../words.js";

/** @typedef {Selftest.SelftestSnapshot["standing"]} Standing */

const MINUTE_S = 90; // from here on minutes are said

/** @param {Selftest.Progress} progress */
function leftText({ left_s: left }) {
  if (left <= 0) return "";
  return left < MINUTE_S ? word("selftest_left_seconds", { seconds: Math.ceil(left) }) : word("selftest_left_minutes", { minutes: Math.round(left / 60) });
}

/**
 * Only a test of the whole hall says something about the doors.
 * @param {Selftest.Report} report
 */
function verdictText({ verdict, level, only }) {
  const whole = level === "field" && only.length === 0;
  return word(verdict === "passed" && !whole ? "selftest_part_passed" : `selftest_whole_${verdict}`);
}

/**
 * Title and text.
 * @param {Selftest.SelftestSnapshot} snapshot
 * @param {Standing} standing
 * @returns {[string, string]}
 */
function texts({ progress, question, level, operator, report, sentence, sentence_key: why }, standing) {
  if (standing === "failed") return [word("selftest_refused"), told(sentence, why) ?? ""];
  if (standing === "ended") return [report === null ? "" : verdictText(report), report === null ? "" : allTold(report.notes, report.note_keys).join(" ")];
  const doing = question === null ? word("selftest_running", { level: word(`selftest_level_${level}`), operator }) : word("selftest_waits");
  return [progress === null ? word("selftest_beginning") : told(progress.title, progress.title_key), doing];
}

/** @param {Selftest.Progress | null} progress */
function progressBar(progress) {
  const { done, of } = progress ?? { done: 0, of: 1 };
  const left = progress === null ? "" : [word("selftest_step", { done: progress.done, count: progress.of }), leftText(progress)].filter(Boolean).join(", ");
  return html`
    <div class="strip-bar" role="progressbar" aria-valuemin="0" aria-valuemax=${of} aria-valuenow=${done} aria-label=${left || word("selftest_beginning")}><span .style=${`width: ${(100 * done) / of}%`}></span></div>
    <p class="strip-left" data-is="strip-left">${left}</p>`;
}

/**
 * `standing` is that of the page, which may want another test already: then there is no strip. `stop()` and `anew()` are its buttons.
 * @param {Selftest.SelftestSnapshot} snapshot
 * @param {Standing} standing
 * @param {{ stop: () => void, anew: () => void }} acts
 */
export function strip(snapshot, standing, { stop, anew }) {
  const verdict = standing === "ended" ? (snapshot.report?.verdict ?? "") : standing === "failed" ? "failed" : "";
  const [title, text] = texts(snapshot, standing);
  const sign = standing === "failed" ? "lock" : `verdict-${verdict}`;
  const running = standing === "running";
  return html`<section class="card strip" data-is="strip" data-verdict=${verdict} data-standing=${standing} aria-live="polite" ?hidden=${standing === "idle"}>
    <span class="strip-sign">${verdict === "" ? nothing : symbol(sign)}</span>
    <div class="strip-words"><h2>${title}</h2><p>${text}</p></div>
    ${running ? progressBar(snapshot.progress) : nothing}
    <div class="row">
      ${running ? html`<button type="button" class="danger" @click=${stop}>${word("selftest_stop")}</button>` : nothing}
      ${standing === "ended" ? html`<button type="button" @click=${anew}>${word("selftest_anew")}</button>` : nothing}
    </div>
  </section>`;
}
