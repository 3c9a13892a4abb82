// A game in short.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { hasWord, word } from "../words.js";
import { placeText, seatText } from "./tables.js";
import { clockText } from "./times.js";

/**
 * The longest turn; "" of a game in rounds.
 * @param {Api.GameReport} report
 */
function longestText({ longest_turn: turn, seats }) {
  return turn === null ? "" : word("report_turn_of", { side: seatText({ seats }, turn.side), round: turn.round, time: clockText(turn.length_ms) });
}

/** @param {Api.GameReport} report */
export function summary(report) {
  const winners = report.winners.map(({ board, side }) => placeText(report, board, side)).join(", ");
  const decided = `decided_${report.decided_by}`;
  const facts = [
    [word("report_winners"), winners || word("report_no_winner")],
    [word("report_decided"), hasWord(decided) ? word(decided) : ""],
    [word(report.longest_turn === null ? "report_rounds" : "report_turns"), report.rounds],
    [word("report_robber_phases"), report.longest_turn === null ? report.robber_phases : ""],
    [word("report_longest_turn"), longestText(report)],
    [word("report_length"), clockText(report.length_ms)],
    [word("report_played"), clockText(report.played_ms)],
    [word("report_restarts"), report.restarts],
  ];
  const sealed = typeof report.seal === "number" ? word("report_seal_of", { number: report.seal }) : word("report_seal");
  return html`<section class="card short">
    <h2>${word("report_short")}</h2>
    <dl>${facts.map(([name, value]) => (value === "" ? nothing : html`<div><dt>${name}</dt><dd>${value}</dd></div>`))}</dl>
    <dl class="proof"><div><dt>${sealed}</dt><dd>${report.commitment}</dd></div><div><dt>${word("report_head")}</dt><dd>${report.journal_head}</dd></div></dl>
  </section>`;
}
