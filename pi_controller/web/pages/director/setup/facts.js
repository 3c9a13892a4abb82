// How the parts are and the seal of the dice, what became of the last commands, and earlier games.

import { html, nothing } from "../../vendor/lit-html/lit-html.js";
import { wayTo } from "../../components/language.js";
import { reasons } from "../../components/reasons.js";
import { symbol } from "../../components/symbol.js";
import { firstTrouble } from "../../health.js";
import { groupedHex } from "../../hex.js";
import { sealTitle } from "../../screen_texts.js";
import { allTold, word } from "../../words.js";

/**
 * @import { Commander, Entry } from "../commander.js"
 * @import { Desk } from "../desk.js"
 */

/** @param {Api.HealthView} health */
const healthTexts = ({ level, messages, items }) => (messages.length > 0 ? allTold(messages, items) : [word(`health_${level}`)]);

/**
 * The first thing that is wrong, at the head of the page.
 * @param {Api.Picture | null} picture
 */
export function healthLine(picture) {
  const { level, text } = picture === null ? { level: "ok", text: "" } : firstTrouble(picture.health);
  return html`<p class="health-line" data-is="health-line" data-level=${level}>${level === "ok" ? nothing : html`${symbol("warning")}<span>${text}</span>`}</p>`;
}

/** @param {Desk} desk */
export function healthCard({ picture }) {
  const health = picture?.health ?? null;
  const sign = health?.level === "ok" ? "seal" : "warning";
  return html`<section class="card">
    <h2>${word("health_title")}</h2>
    <ul class="health">${health === null ? nothing : healthTexts(health).map((text) => html`<li class=${health.level}>${symbol(sign)}<span>${text}</span></li>`)}</ul>
    <h3 data-is="seal-title">${picture === null ? word("seal_title") : sealTitle(picture)}</h3>
    <p class="hex" data-is="seal">${groupedHex(picture?.commitment ?? "")}</p>
  </section>`;
}

/** @param {Commander} commander */
export function logCard(commander) {
  /** @param {Entry} entry */
  function line(entry) {
    const unsure = entry.status === "failed" || entry.status === "unsaved";
    return html`<li class="entry ${entry.status}">
      <span class="entry-name">${word(`command_${entry.name}`)}</span>
      <span class="entry-status">${word(entry.status)}</span>
      ${entry.reasons.map((reason) => reasons([reason], { look: "entry-reason" }))}
      ${unsure ? html`<button type="button" @click=${() => commander.sendAgain(entry)}>${word("send_again")}</button>` : nothing}
    </li>`;
  }
  return html`<section class="card">
    <h2>${word("sent_title")}</h2>
    <ol class="log" aria-live="polite">${commander.entries.length > 0 ? commander.entries.map(line) : html`<li class="hint">${word("sent_empty")}</li>`}</ol>
  </section>`;
}

/**
 * To the report of a game, and to the game again.
 * @param {string} id
 */
export const pastWays = (id) => html`<a href=${wayTo(`/report/${encodeURIComponent(id)}`)}>${word("report_title")}</a> <a href=${wayTo(`/replay/${encodeURIComponent(id)}`)}>${word("replay_title")}</a>`;

/** @param {Api.Game} game */
function gameLine({ game_id: id, armed_at: armed, rule_set: rules, ended, rounds }) {
  const facts = [armed, rules, word(ended ? "game_ended" : "game_open"), word("rounds_played", { count: rounds ?? 0 })];
  return html`<li class="game">
    <span class="game-id">${id}</span><span class="hint">${facts.filter(Boolean).join(" · ")}</span>
    <span class="game-ways">${pastWays(id)}<a href="/api/games/${encodeURIComponent(id)}/export" download="${id}.jsonl">${word("export_game")}</a></span>
  </li>`;
}

/** @param {() => void} redraw */
export function gamesCard(redraw) {
  /** @type {Api.Game[] | null} */
  let games = null;
  let mistake = "";

  async function load() {
    const response = await fetch("/api/games").catch(() => null);
    mistake = response?.ok ? "" : word("games_failed", { status: response?.status ?? "–" });
    if (response?.ok) games = (await response.json()).games;
    redraw();
  }

  return () => html`<section class="card">
    <h2>${word("games_title")}</h2>
    <ul class="games">${games?.length === 0 ? html`<li class="hint">${word("games_empty")}</li>` : games?.map(gameLine)}</ul>
    <div class="row"><button type="button" data-is="games-load" @click=${load}>${word("games_load")}</button></div>
    <p class="mistake" role="alert">${mistake}</p>
    <p class="hint"><span>${word("verify_help")}</span> <a href="/verify_game.py" download>${word("verifier")}</a></p>
  </section>`;
}
