// The tables of a report: pauses, claims, rolls, commands and what else there is.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { byWhom } from "../components/by_whom.js";
import { wayTo } from "../components/language.js";
import { nameOf } from "../seats.js";
import { hasWord, numberText, told, word } from "../words.js";
import { clockText } from "./times.js";

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
export const seatText = ({ seats }, side) => nameOf({ seats: seats.map(({ side: id, name }) => ({ id, name: name ?? id, sign: "", colour: "" })) }, side);

/**
 * A board and a side; the board alone where there is no more. A table with seats has no boards.
 * @param {Api.GameReport} report
 * @param {string | null} board
 * @param {string | null} side
 */
export const placeText = (report, board, side) => `${board ?? (report.seats.length > 0 ? "" : "?")} ${seatText(report, side)}`.trim();

/**
 * Head of the column of rounds or turns.
 * @param {Api.GameReport} report
 */
const roundHead = ({ seats }) => word(seats.length > 0 ? "report_turn" : "report_round");

/** @param {Api.GameReport} report */
export const seats = (report) => (report.seats.length === 0 ? nothing : table(word("report_seats"), "report-seats", [word("turn_seat"), word("report_turns"), word("report_in_all"), word("report_mean")],
  report.seats.map(({ side, turns, total_ms: all, mean_ms: mean }) => [seatText(report, side), turns, clockText(all), `${numberText(mean / 1000, ".1f")} s`])));

/** @param {string} name */
function commandText(name) {
  const key = `command_${name}`;
  if (name === PRESS) return word("by_button");
  return hasWord(key) ? word(key) : name;
}

/** @param {number} ms */
const msText = (ms) => `${numberText(ms, ".1f")} ms`;

/** @param {Api.GameReport} report */
export const pauses = (report) => table(word("report_pauses"), "report-pauses", [word("report_at"), roundHead(report), word("report_lasted"), word("report_why")],
  report.pauses.map(({ at_ms: at, round, length_ms: length, reasons }) => [clockText(at), round, length === null ? word("report_still") : clockText(length), reasons.map((reason) => word(`reason_${reason}`)).join("; ")]));

/** @param {Api.GameReport} report */
export const claims = (report) => table(word("report_claims"), "report-claims",
  [word("report_at"), word("report_board"), roundHead(report), word("report_before_end"), word("report_verdict"), word("report_points"), word("report_after")],
  report.claims.map((claim) => [clockText(claim.at_ms), placeText(report, claim.board, claim.side), claim.round, `${numberText(claim.pressed_ms_before_end / 1000, ".3f")} s`, word(`claim_${claim.status}`), claim.points ?? "", claim.verdict_ms === null ? "" : clockText(claim.verdict_ms)]));

/** @param {Api.GameReport} report */
export const latencies = (report) => table(word("report_latencies"), "report-latencies", [word("report_source"), word("report_count"), word("report_median"), word("report_p99"), word("report_worst")],
  report.latencies.map(({ source, count, p50_ms: half, p99_ms: most, worst_ms: worst }) => [byWhom(source), count, msText(half), msText(most), msText(worst)]));

/** @param {Api.GameReport} report */
export const rolls = (report) => table(word("report_rolls"), "report-rolls", [word("report_at"), roundHead(report), word(report.seats.length > 0 ? "turn_seat" : "report_side"), word("report_dice"), word("report_sum"), word("report_target")],
  report.rolls.map(({ at_ms: at, round, side, dice: [first, second], sum, robber_target: target }) => [clockText(at), round, seatText(report, side), `${first}\u00a0+\u00a0${second}`, sum, target === "desert" ? word("desert") : (target ?? "")]));

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
export const commands = (report) => table(word("report_commands"), "report-commands", [word("report_at"), word("report_source"), word("report_command"), word("report_then"), word("report_after")],
  report.commands.map((one) => [clockText(one.at_ms), byWhom(one.source), commandText(one.name), effect(one), msText(one.press_to_seen_ms)]));

/** @param {Api.GameReport} report */
export const notes = (report) => table(word("report_notes"), "report-notes", [word("report_at"), word("report_then")], report.notes.map(({ at_ms: at, text, said }) => [clockText(at), told(text, said)]));

/** @param {Api.GameReport} report */
export const games = (report) => table(word("report_games"), "report-games", [word("report_game"), word("report_seal_number"), word("report_rounds")], report.games.map(({ game_id: id, seal, rounds }) => [html`<a href=${wayTo(`/report/${id}`)}>${id}</a>`, seal ?? "", rounds]));
