// The report of a game: what its journal tells, for reading and for printing.

import { html, nothing, render } from "./vendor/lit-html/lit-html.js";
import { languageMenu, themeButton, wayTo } from "./components/language.js";
import { summary } from "./report/summary.js";
import { sumsPlot } from "./report/sums.js";
import { claims, commands, games, latencies, notes, pauses, rolls, seats } from "./report/tables.js";
import { startTheme } from "./theme.js";
import { dateText, told, word } from "./words.js";

startTheme();

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

/** @param {Api.GameReport} shown */
const head = ({ game_id: id, rule_set: rules, armed_at: when, names, rate }) => html`
  <p class="lead" data-is="report-lead">${word("report_lead", { game: id, rules, when: dateText(when) })}</p>
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
  const waiting = html`<main><p class="making" role="status">${problem === "" ? word("report_making") : problem}</p></main>`;
  render(html`<header class="top"><h1>${word("report_title")}</h1>${ways()}${report === null ? nothing : html`${head(report)}${files()}`}</header>
    ${report === null ? waiting : cards(report)}`, document.body);
}

async function load() {
  const [answer, session] = await Promise.all([fetch(fileOf("json")), fetch("/api/session")]);
  staff = session.ok && (await session.json()).director === true;
  if (answer.ok) report = await answer.json();
  else {
    const { error, reason_keys: keys } = await answer.json();
    problem = told(error, keys?.[0]);
  }
  draw();
}

draw();
load().catch((failure) => {
  if (!(failure instanceof TypeError)) throw failure;
  problem = word("answer_503");
  draw();
});
