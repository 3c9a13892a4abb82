// The self-test's page: whoever opens it sees the same test, and whoever answers first has answered.

import { repeat } from "../vendor/lit-html/directives/repeat.js";
import { html, nothing, render } from "../vendor/lit-html/lit-html.js";
import { Actions, options, symbol } from "../lib/components.js";
import { drawBy, part, redraw, toggleIn } from "../lib/dom.js";
import { Feed, jsonOf, openFeed } from "../lib/feed.js";
import { technicianHead } from "../lib/head.js";
import { allTold, told, word } from "../lib/words.js";
import { questionCard } from "./question.js";
import { reportsCard, resultsCard, trendCard } from "./results.js";
import { walkView } from "./walk.js";

// What is to be tested, by whom, and the start.

/** @typedef {(typeof LEVELS)[number]} Level */

const LEVELS = /** @type {const} */ (["field", "boot", "bench"]);
const BENCH = "bench";
const WALK = "CLM";
const NAME_KEY = "operator";

/** @param {SelftestActions} actions */
function beginCard(actions) {
  const operator = localStorage.getItem(NAME_KEY) ?? "";
  /** @type {Level} */
  let level = LEVELS[0];
  /** @type {Set<string>} */
  const chosen = new Set(); // codes of checks; none: all of them
  /** @type {Api.NodeView[]} */
  let nodes = [];

  /** @param {Level} wanted */
  async function choose(wanted) {
    level = wanted;
    chosen.clear();
    if (level !== BENCH) return;
    nodes = (await jsonOf("/api/tables"))?.nodes ?? []; // without the list it can still be the only one that is connected
    redraw();
  }

  /** @param {string[]} only */
  function start(only) {
    if (!part("begin").reportValidity()) return;
    const name = part("operator").value.trim();
    localStorage.setItem(NAME_KEY, name);
    const uid = level === BENCH && part("node").value !== "" ? { uid: part("node").value } : {};
    actions.do("begin", { level, operator: name, only, ...uid });
  }

  /** @param {Level} each */
  const levelChoice = (each) => html`<label class="level">
    <input type="radio" name="level" value=${each} ?checked=${each === LEVELS[0]} @input=${() => choose(each)}><b>${word(`selftest_level_${each}`)}</b><span class="hint">${word(`selftest_level_help_${each}`)}</span></label>`;

  /** @param {Selftest.CheckView} check */
  const checkChoice = ({ code, title, title_key: titleKey, guided }) => html`<label class="check">
    <input type="checkbox" value=${code} .checked=${chosen.has(code)} @input=${() => toggleIn(chosen, code)}><b class="code">${code}</b><span>${told(title, titleKey)}</span>${guided ? html`<span class="hint">${word("selftest_guided")}</span>` : nothing}</label>`;

  /** @returns {[string, string][]} */
  const nodeChoices = () => nodes.map(({ uid, board }) => [uid, board === null ? uid : word("claim_board", { board })]);

  /**
   * @param {Selftest.SelftestSnapshot} snapshot
   * @param {boolean} wanted whether a test may be begun now
   */
  return ({ checks }, wanted) => {
    const possible = checks.filter((check) => check.levels.includes(level));
    const codes = possible.map(({ code }) => code).filter((code) => chosen.has(code));
    return html`<form class="card begin" data-is="begin" ?hidden=${!wanted} @submit=${() => start(codes)}>
      <h2>${word("selftest_begin")}</h2>
      <fieldset class="levels"><legend class="only-spoken">${word("selftest_level")}</legend>${LEVELS.map(levelChoice)}</fieldset>
      <div class="fields"><label class="wide"><span>${word("selftest_operator")}</span><input data-is="operator" name="operator" value=${operator} required maxlength="40" autocomplete="name"></label></div>
      <div class="fields" ?hidden=${level !== BENCH}><label class="wide"><span>${word("selftest_node")}</span><select data-is="node">${options([["", word("selftest_node_only")], ...nodeChoices()])}</select></label></div>
      <details>
        <summary data-is="choice-words">${codes.length === 0 ? word("selftest_choice_all", { count: possible.length }) : word("selftest_choice_some", { count: codes.length })}</summary>
        <div class="checks">${repeat(possible, ({ code }) => code, checkChoice)}</div>
      </details>
      <button class="strong start">${word("selftest_start")}</button>
      <button type="button" ?hidden=${!possible.some(({ code }) => code === WALK)} @click=${() => start([WALK])}>${word("selftest_walk_only")}</button>
      <p class="hint">${word("selftest_lock_help")}</p>
    </form>`;
  };
}

// The strip on top: how far the test is, or how it ended.

/** @typedef {Selftest.SelftestSnapshot["standing"]} Standing */

const MINUTE_S = 90; // from here on minutes are said

/** @param {Selftest.Progress} progress */
function leftText({ left_s: left }) {
  if (left <= 0) return "";
  return left < MINUTE_S ? word("selftest_left_seconds", { seconds: Math.ceil(left) }) : word("selftest_left_minutes", { minutes: Math.round(left / 60) });
}

/**
 * Only a test of the whole hall says something about the doors.
 * @param {Selftest.SelfTestReport} report
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
 * `standing` is that of the page, which may want another test already: then there is no strip.
 * @param {Selftest.SelftestSnapshot} snapshot
 * @param {Standing} standing
 */
function strip(snapshot, standing) {
  const verdict = standing === "ended" ? (snapshot.report?.verdict ?? "") : standing === "failed" ? "failed" : "";
  const [title, text] = texts(snapshot, standing);
  const sign = standing === "failed" ? "lock" : `verdict-${verdict}`;
  const running = standing === "running";
  return html`<section class="card strip" data-is="strip" data-verdict=${verdict} data-standing=${standing} aria-live="polite" ?hidden=${standing === "idle"}>
    <span class="strip-sign">${verdict === "" ? nothing : symbol(sign)}</span>
    <div class="strip-words"><h2>${title}</h2><p>${text}</p></div>
    ${running ? progressBar(snapshot.progress) : nothing}
    <div class="row">
      ${running ? html`<button type="button" class="danger" @click=${() => actions.do("stop")}>${word("selftest_stop")}</button>` : nothing}
      ${standing === "ended" ? html`<button type="button" @click=${() => (anew = true)}>${word("selftest_anew")}</button>` : nothing}
    </div>
  </section>`;
}

/** @typedef {Actions<"answer" | "begin" | "mend" | "stop", object>} SelftestActions */

/** @type {Selftest.SelftestSnapshot | null} */
let newest = null;
let open = false;
let anew = false; // another test is wanted here; on other phones the last one stays on

const feed = new Feed();
/** @type {SelftestActions} */
const actions = new Actions("/api/selftest");
const begin = beginCard(actions);
const question = questionCard(actions);
const results = resultsCard(actions);
const reports = reportsCard();
const walk = walkView(question.reply);

/** @param {Selftest.SelftestSnapshot} snapshot */
function standingOf({ standing }) {
  return anew && (standing === "ended" || standing === "failed") ? "idle" : standing;
}

/** @param {Selftest.SelftestSnapshot} snapshot */
function cards(snapshot) {
  const standing = standingOf(snapshot);
  return html`
    ${strip(snapshot, standing)}
    <div class="column">
      ${begin(snapshot, standing === "idle" || standing === "failed")}${question.draw(snapshot)}
      ${results(standing === "idle" ? [] : snapshot.results, standing === "running")}
    </div>
    <div class="column side">${trendCard(standing === "ended" ? snapshot.report : null)}${reports.draw()}</div>`;
}

function draw() {
  document.body.dataset.open = String(open);
  if (newest !== null) document.body.dataset.standing = standingOf(newest);
  const page = html`
    ${technicianHead({ path: "/technician/selftest", feed, lost: !open })}
    ${walk.draw()}
    <main>${newest === null ? nothing : cards(newest)}</main>
    ${actions.draw()}`;
  render(page, document.body);
  walk.settle();
}

/** @param {Selftest.SelftestSnapshot} snapshot */
function take(snapshot) {
  if (snapshot.session !== newest?.session) anew = false;
  newest = snapshot;
  for (const part of [question, walk, reports]) part.take(snapshot);
}

drawBy(draw);

openFeed({ path: "/api/selftest/feed", onMessage: take, onOpen: (now) => (open = now) });
