// The report of a game: what its journal tells, for reading and for printing.

import { html, nothing, render, svg } from "../vendor/lit-html/lit-html.js";
import { byWhom, languageMenu, themeButton } from "../lib/components.js";
import { startTheme } from "../lib/dom.js";
import { answerOf, jsonOf } from "../lib/feed.js";
import { elapsedText } from "../lib/reading.js";
import { nameOf } from "../lib/seats.js";
import { dateText, hasWord, numberText, told, wayTo, word } from "../lib/words.js";

// The tables of a report: pauses, claims, rolls, commands and what else there is.

const PRESS = "press"; // the command of the pause button

/**
 * @param {string} title
 * @param {string} is
 * @param {string[]} heads
 * @param {unknown[][]} rows
 */
function table(title, is, heads, rows) {
  const empty = html`<p class="hint">${word("report_none")}</p>`;
  const full = html`<div class="wide" tabindex="0"><table>
    <thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody>
  </table></div>`;
  return html`<section class="card table" data-is=${is}><h2>${title}</h2>${rows.length === 0 ? empty : full}</section>`;
}

/**
 * What somebody who acts is called.
 * @param {Pick<Api.GameReport, "seats">} report
 * @param {string | null} side
 */
const seatText = ({ seats }, side) => nameOf({ seats: seats.map(({ side: id, name }) => ({ id, name: name ?? id, sign: "", colour: "" })) }, side);

/**
 * A board and a side; the board alone where there is no more. A table with seats has no boards.
 * @param {Api.GameReport} report
 * @param {string | null} board
 * @param {string | null} side
 */
const placeText = (report, board, side) => `${board ?? (report.seats.length > 0 ? "" : "?")} ${seatText(report, side)}`.trim();

/**
 * Head of the column of rounds or turns.
 * @param {Api.GameReport} report
 */
const roundHead = ({ seats }) => word(seats.length > 0 ? "report_turn" : "report_round");

/** @param {Api.GameReport} report */
const seats = (report) => (report.seats.length === 0 ? nothing : table(word("report_seats"), "report-seats", [word("turn_seat"), word("report_turns"), word("report_in_all"), word("report_mean")],
  report.seats.map(({ side, turns, total_ms: all, mean_ms: mean }) => [seatText(report, side), turns, elapsedText(all), `${numberText(mean / 1000, ".1f")} s`])));

/** @param {string} name */
function commandText(name) {
  const key = `command_${name}`;
  if (name === PRESS) return word("by_button");
  return hasWord(key) ? word(key) : name;
}

/** @param {number} ms */
const msText = (ms) => `${numberText(ms, ".1f")}\u00a0ms`;

/** @param {Api.GameReport} report */
const pauses = (report) => table(word("report_pauses"), "report-pauses", [word("report_at"), roundHead(report), word("report_lasted"), word("report_why")],
  report.pauses.map(({ at_ms: at, round, length_ms: length, reasons }) => [elapsedText(at), round, length === null ? word("report_still") : elapsedText(length), reasons.map((reason) => word(`reason_${reason}`)).join("; ")]));

/** @param {Api.GameReport} report */
const claims = (report) => table(word("report_claims"), "report-claims",
  [word("report_at"), word("report_board"), roundHead(report), word("report_before_end"), word("report_verdict"), word("report_points"), word("report_after")],
  report.claims.map((claim) => [elapsedText(claim.at_ms), placeText(report, claim.board, claim.side), claim.round, `${numberText(claim.pressed_ms_before_end / 1000, ".3f")} s`, word(`claim_${claim.status}`), claim.points ?? "", claim.verdict_ms === null ? "" : elapsedText(claim.verdict_ms)]));

/** @param {Api.GameReport} report */
const latencies = (report) => table(word("report_latencies"), "report-latencies", [word("report_source"), word("report_count"), word("report_median"), word("report_p99"), word("report_worst")],
  report.latencies.map(({ source, count, p50_ms: half, p99_ms: most, worst_ms: worst }) => [byWhom(source), count, msText(half), msText(most), msText(worst)]));

/** @param {Api.GameReport} report */
const rolls = (report) => table(word("report_rolls"), "report-rolls", [word("report_at"), roundHead(report), word(report.seats.length > 0 ? "turn_seat" : "report_side"), word("report_dice"), word("report_sum"), word("report_target")],
  report.rolls.map(({ at_ms: at, round, side, dice: [first, second], sum, robber_target: target }) => [elapsedText(at), round, seatText(report, side), `${first}\u00a0+\u00a0${second}`, sum, target === "desert" ? word("desert") : (target ?? "")]));

/** @param {Api.ReportedCommand} command */
function effect({ undone, phase, round, paused, remaining_ms: left }) {
  const seconds = left / 1000;
  if (undone) return word("report_taken_back");
  if (phase === "ready") return word("report_then_ready");
  if (phase === "ended") return word("report_then_over");
  if (phase === "collecting") return word("report_then_collecting");
  if (phase === "founding") return word("report_then_founding");
  if (phase === "turn") return word("turn_number", { round });
  if (paused) return word("report_then_paused", { round, seconds });
  return phase === "robber" ? word("report_then_robber", { seconds }) : word("report_then_round", { round, seconds });
}

/** @param {Api.GameReport} report */
const commands = (report) => table(word("report_commands"), "report-commands", [word("report_at"), word("report_source"), word("report_command"), word("report_then"), word("report_after")],
  report.commands.map((one) => [elapsedText(one.at_ms), byWhom(one.source), commandText(one.name), effect(one), msText(one.press_to_seen_ms)]));

/** @param {Api.GameReport} report */
const notes = (report) => table(word("report_notes"), "report-notes", [word("report_at"), word("report_then")], report.notes.map(({ at_ms: at, text, said }) => [elapsedText(at), told(text, said)]));

/** @param {Api.GameReport} report */
const games = (report) => table(word("report_games"), "report-games", [word("report_game"), word("report_seal_number"), word("report_rounds")], report.games.map(({ game_id: id, seal, rounds }) => [html`<a href=${wayTo(`/report/${id}`)}>${id}</a>`, seal ?? "", rounds]));

// How often each sum came, as bars, with a line where it is to be expected.

const [WIDTH, HEIGHT, FOOT, HEAD, SIDE] = [560, 260, 34, 24, 8];
const BAR = 0.66; // of the room that a sum has
const LINE = 0.9;

/** @param {Api.GameReport} report */
function sumsPlot({ distribution, rolls }) {
  const top = Math.max(1, ...distribution.map(({ count, expected }) => Math.max(count, expected)));
  const step = (WIDTH - 2 * SIDE) / distribution.length;
  const heightOf = (/** @type {number} */ value) => ((HEIGHT - FOOT - HEAD) * value) / top;
  const ground = HEIGHT - FOOT;
  const column = (/** @type {Api.SumCount} */ { sum, count, expected }, /** @type {number} */ index) => {
    const middle = SIDE + (index + 0.5) * step;
    const above = ground - Math.max(heightOf(count), heightOf(expected)) - 7;
    const line = ground - heightOf(expected);
    return svg`<rect class=${sum === 7 ? "bar seven" : "bar"} x=${middle - (step * BAR) / 2} y=${ground - heightOf(count)} width=${step * BAR} height=${heightOf(count)} rx="3"></rect>
      ${expected > 0 ? svg`<line class="expected" x1=${middle - (step * LINE) / 2} x2=${middle + (step * LINE) / 2} y1=${line} y2=${line}></line>` : nothing}
      <text class="count" x=${middle} y=${above} text-anchor="middle">${count}</text>
      <text class="sum" x=${middle} y=${HEIGHT - 10} text-anchor="middle">${sum}</text>`;
  };
  const said = distribution.map(({ sum, count, expected }) => `${sum}: ${count} (${numberText(expected, ".1f")})`).join(", ");
  return html`<section class="card sums">
    <h2>${word("report_sums")}</h2>
    <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${word("report_sums")}: ${said}" data-is="report-sums">
      <line class="ground" x1=${SIDE} x2=${WIDTH - SIDE} y1=${ground} y2=${ground}></line>${distribution.map(column)}
    </svg>
    <p class="key"><span class="came">${word("report_came")}</span><span class="to-come">${word("report_expected")}</span></p>
    <p class="hint">${word("report_of_rolls", { count: rolls.length })}</p>
  </section>`;
}

// A game in short.

/**
 * The longest turn; "" of a game in rounds.
 * @param {Api.GameReport} report
 */
function longestText({ longest_turn: turn, seats }) {
  return turn === null ? "" : word("report_turn_of", { side: seatText({ seats }, turn.side), round: turn.round, time: elapsedText(turn.length_ms) });
}

/** @param {Api.GameReport} report */
function summary(report) {
  const winners = report.winners.map(({ board, side }) => placeText(report, board, side)).join(", ");
  const decided = `decided_${report.decided_by}`;
  const facts = [
    [word("report_winners"), winners || word("report_no_winner")],
    [word("report_decided"), hasWord(decided) ? word(decided) : ""],
    [word(report.longest_turn === null ? "report_rounds" : "report_turns"), report.rounds],
    [word("report_robber_phases"), report.longest_turn === null ? report.robber_phases : ""],
    [word("report_longest_turn"), longestText(report)],
    [word("report_length"), elapsedText(report.length_ms)],
    [word("report_played"), elapsedText(report.played_ms)],
    [word("report_restarts"), report.restarts],
  ];
  const sealed = typeof report.seal === "number" ? word("report_seal_of", { number: report.seal }) : word("report_seal");
  return html`<section class="card short">
    <h2>${word("report_short")}</h2>
    <dl>${facts.map(([name, value]) => (value === "" ? nothing : html`<div><dt>${name}</dt><dd>${value}</dd></div>`))}</dl>
    <dl class="proof"><div><dt>${sealed}</dt><dd>${report.commitment}</dd></div><div><dt>${word("report_head")}</dt><dd>${report.journal_head}</dd></div></dl>
  </section>`;
}

const REPORT_MS = 600_000; // a long game on a slow computer
const NAMES = "names"; // in the address: with names of people, for the staff
const game = decodeURIComponent(location.pathname.split("/").pop() ?? "");
const named = new URLSearchParams(location.search).get(NAMES) === "1";

/** @type {Api.GameReport | null} */
let report = null;
let problem = "";
let staff = false;

/** @param {string} kind */
function fileOf(kind) {
  const asked = new URLSearchParams({ ...(named && { [NAMES]: "1" }), ...(kind === "csv" && { table: "locale" }) });
  return wayTo(`/api/games/${encodeURIComponent(game)}/report.${kind}${asked.size > 0 ? `?${asked}` : ""}`);
}

/** This page with or without names. */
function otherNames() {
  const way = new URL(location.href);
  if (named) way.searchParams.delete(NAMES);
  else way.searchParams.set(NAMES, "1");
  return way.pathname + way.search;
}

/** @param {string} rules */
function rulesText(rules) {
  const key = `rule_${rules}`;
  return hasWord(key) ? word(key) : rules;
}

/** @param {Api.GameReport} shown */
const head = ({ game_id: id, rule_set: rules, armed_at: when, names, rate }) => html`
  <p class="lead" data-is="report-lead">${word("report_lead", { game: id, rules: rulesText(rules), when: dateText(when) })}</p>
  <p class=${names ? "names warned" : "names"} data-is="report-names">${word(names ? "report_names" : "report_no_names")}</p>
  ${rate === 1 ? nothing : html`<p class="names warned" data-is="report-rate">${word("report_rate", { rate })}</p>`}`;

const ways = () => html`<nav class="ways">
  <a href=${wayTo("/")}>${word("to_hall")}</a><a href=${wayTo("/director")}>${word("to_director")}</a>${languageMenu()}${themeButton()}
</nav>`;

const files = () => html`<p class="files" data-is="report-files">
  <a href=${wayTo(`/replay/${encodeURIComponent(game)}`)} data-is="report-to-replay">${word("report_to_replay")}</a>
  <span>${word("report_files")}</span>${["pdf", "csv", "json"].map((kind) => html`<a href=${fileOf(kind)} download>${kind.toUpperCase()}</a>`)}
  <button type="button" data-is="report-print" @click=${() => print()}>${word("report_print")}</button>
  ${staff ? html`<a href=${otherNames()} data-is="report-other-names">${word(named ? "report_without_names" : "report_with_names")}</a>` : nothing}
</p>`;

/** @param {Api.GameReport} shown */
const cards = (shown) => html`<main>
  ${summary(shown)}${sumsPlot(shown)}${seats(shown)}${pauses(shown)}${claims(shown)}${latencies(shown)}${games(shown)}${notes(shown)}${rolls(shown)}${commands(shown)}
</main>`;

function draw() {
  document.body.dataset.ready = String(report !== null || problem !== "");
  const waiting = html`<main><p class="card making" role="status">${problem === "" ? word("report_making") : problem}</p></main>`;
  render(html`<header class="top"><h1>${word("report_title")}</h1>${ways()}${report === null ? nothing : html`${head(report)}${files()}`}</header>
    ${report === null ? waiting : cards(report)}`, document.body);
}

async function load() {
  const [found, session] = await Promise.all([answerOf(fileOf("json"), { unanswered: word("answer_503"), patience: REPORT_MS }), jsonOf("/api/session")]);
  [report, problem, staff] = [found.answer, found.problem, session?.director === true];
  draw();
}

startTheme();
draw();
load();
