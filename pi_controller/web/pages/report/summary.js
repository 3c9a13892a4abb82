// A game in short.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { hasWord, word } from "../words.js";
import { placeText } from "./tables.js";
import { clockText } from "./times.js";

/** @param {Api.GameReport} report */
export function summary(report) {
  const winners = report.winners.map(({ board, side }) => placeText(board, side)).join(", ");
  const decided = `decided_${report.decided_by}`;
  const facts = [
    [word("report_winners"), winners || word("report_no_winner")],
    [word("report_decided"), hasWord(decided) ? word(decided) : ""],
    [word("report_rounds"), report.rounds],
    [word("report_robber_phases"), report.robber_phases],
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
