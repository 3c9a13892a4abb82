// A game in short.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { hasWord, word } from "../words.js";
import { placeText, seatText } from "./tables.js";
import { clockText } from "./times.js";

/**
 * In rounds, or in turns with the longest.
 * @param {Api.GameReport} report
 */
function lengthOf(report) {
  const { rounds, robber_phases: robbers, longest_turn: longest } = report;
  if (longest === null) return [[word("report_rounds"), rounds], [word("report_robber_phases"), robbers]];
  const turn = { side: seatText(report, longest.side), round: longest.round, time: clockText(longest.length_ms) };
  return [[word("report_turns"), rounds], [word("report_longest_turn"), word("report_turn_of", turn)]];
}

/** @param {Api.GameReport} report */
export function summary(report) {
  const winners = report.winners.map(({ board, side }) => placeText(report, board, side)).join(", ");
  const decided = `decided_${report.decided_by}`;
  const facts = [
    [word("report_winners"), winners || word("report_no_winner")],
    [word("report_decided"), hasWord(decided) ? word(decided) : ""],
    ...lengthOf(report),
    [word("report_length"), clockText(report.length_ms)],
    [word("report_played"), clockText(report.played_ms)],
    [word("report_restarts"), report.restarts],
  ];
  return html`<section class="card short">
    <h2>${word("report_short")}</h2>
    <dl>${facts.map(([name, value]) => (value === "" ? nothing : html`<div><dt>${name}</dt><dd>${value}</dd></div>`))}</dl>
    <dl class="proof"><div><dt>${word("report_seal")}</dt><dd>${report.commitment}</dd></div><div><dt>${word("report_head")}</dt><dd>${report.journal_head}</dd></div></dl>
  </section>`;
}
