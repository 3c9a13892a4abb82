// What stands around every scene: the event and the time, the last rolls, open claims, what the voice said, the way to the check.

import { repeat } from "../vendor/lit-html/directives/repeat.js";
import { html, nothing, render } from "../vendor/lit-html/lit-html.js";
import { forecastWall, systemTime } from "../lib/clock.js";
import { symbol } from "../lib/components.js";
import { make, part, setData, setText, show } from "../lib/dom.js";
import { isWaiting, sceneOf } from "../lib/reading.js";
import { NOBODY, seatFrom } from "../lib/seats.js";
import { boardText, firstTrouble, phaseText } from "../lib/texts.js";
import { spokenLanguage, told, word } from "../lib/words.js";

// The event's name and logo, wherever the hall screen has a place for them, and the time of day.

const MS_PER_MIN = 60_000;

/** @param {"event" | "forecast" | "time"} shown */
const places = (shown) => document.querySelectorAll(`[data-shows="${shown}"]`);

/** @param {Api.EventView} event */
function content(event) {
  /** @type {HTMLElement[]} */
  const parts = [];
  if (event.logo) {
    const logo = make("img", "event-logo");
    [logo.src, logo.alt] = ["/event/logo", event.name];
    logo.addEventListener("error", () => logo.remove());
    parts.push(logo);
  }
  if (event.name !== "") parts.push(make("span", "event-name", event.name));
  return parts;
}

export function eventHead() {
  let shown = "";
  return (/** @type {Api.Picture} */ { event }) => {
    const said = JSON.stringify(event);
    if (said === shown) return;
    shown = said;
    const [name, line] = event.colours ?? [];
    document.documentElement.style.setProperty("--event-name", name ?? "");
    document.documentElement.style.setProperty("--event-line", line ?? "");
    for (const place of places("event")) place.replaceChildren(...content(event));
  };
}

/**
 * The time of day of a moment as the spoken language writes it, hours and minutes.
 * @param {number} wallMs
 */
function dayTimeText(wallMs) {
  return new Date(wallMs).toLocaleTimeString(spokenLanguage() === "en" ? "en-GB" : spokenLanguage(), { hour: "2-digit", minute: "2-digit" });
}

/** Hours and minutes as the spoken language writes them; called with each frame, it changes the page once a minute. */
export function timeOfDay() {
  let minute = -1;
  let language = "";
  return () => {
    const now = Math.floor(systemTime.wall() / MS_PER_MIN);
    if (now === minute && spokenLanguage() === language) return;
    [minute, language] = [now, spokenLanguage()];
    const text = dayTimeText(now * MS_PER_MIN);
    for (const place of places("time")) place.textContent = text;
  };
}

// When the game will probably end, by the time of this place.

const ROUNDED_MS = 300_000; // nobody should read a range as a promise

/** Called with each frame; it changes the page with each step of the range. */
export function forecast() {
  let shown = "";
  return (/** @type {Api.Picture} */ picture, /** @type {number} */ coreNow) => {
    const end = picture.rate === 1 ? forecastWall(picture, coreNow) : null;
    const [from, to] = end === null ? [0, 0] : [Math.floor(end.earliest / ROUNDED_MS) * ROUNDED_MS, Math.ceil(end.latest / ROUNDED_MS) * ROUNDED_MS];
    const said = `${spokenLanguage()} ${from} ${to}`;
    if (said === shown) return;
    shown = said;
    const text = end === null ? "" : word("forecast_end", { from: dayTimeText(from), to: dayTimeText(to) });
    for (const place of places("forecast")) place.textContent = text;
  };
}

// What the voice said last, beside the seal: whoever cannot hear it reads it. It stands until something else is said.

/** @param {Api.Picture} picture */
export function showCaptions({ sound }) {
  const said = sound?.captions ?? [];
  show(part("caption"), said.length > 0);
  setData(document.body, "caption", said.length > 0 ? "shown" : "none");
  setText(part("caption"), said.map((caption) => told("", caption)).join(" "));
}

// The way to the page that checks the dice, when a game has ended: a code for phones; who reads this on a phone taps it.

/** The code of the newest game that has ended; each game has its own. */
export function diceCheck() {
  let shown = "";
  return (/** @type {Api.Picture} */ { phase, game_id: game, commitment }) => {
    show(part("check"), phase === "ended");
    if (phase !== "ended" || game === shown) return;
    shown = game;
    part("check").href = `/verify.html?game=${encodeURIComponent(game)}#${commitment}`;
    part("check-code").src = `/verify.svg?game=${encodeURIComponent(game)}`;
  };
}

// Open claims while the clock runs on: shown at the foot of the screen in press order, until they are judged.

const MOST_CLAIMS = 2; // so many stand in letters that are read from the back row
const RUNNING = ["play", "countin"];

/**
 * Open claims with their places in the order of the presses.
 * @param {Api.Picture} picture
 */
export function openClaims(picture) {
  return picture.claims.map((claim, index) => ({ claim, place: index + 1 })).filter(({ claim }) => isWaiting(claim));
}

/**
 * @param {Api.Picture} picture
 * @param {{ claim: Api.ClaimView, place: number }} queued
 */
function chip(picture, { claim, place }) {
  const seat = seatFrom(picture, claim);
  const who = claim.board ?? (boardText(claim, picture) || (seat?.name ?? ""));
  return html`<li class="queued" data-colour=${(seat ?? NOBODY).colour} .style=${`--letters: ${who.length}`}><span class="queued-place">${place}.</span><b>${who}</b>${seat === null ? nothing : html`<span class="queued-side">${symbol(seat.sign)}${who === seat.name ? nothing : html`<span>${seat.name}</span>`}</span>`}</li>`;
}

/** @param {Api.Picture} picture */
export function showQueue(picture) {
  const open = RUNNING.includes(sceneOf(picture)) ? openClaims(picture) : [];
  show(part("queue"), open.length > 0);
  show(part("rolls"), open.length === 0);
  if (open.length === 0) return;
  setText(part("queue-title"), word(open.length === 1 ? "queue_one" : "queue_several"));
  const chips = open.slice(0, MOST_CLAIMS).map((entry) => chip(picture, entry));
  const more = open.length - MOST_CLAIMS;
  render(html`${chips}${more > 0 ? html`<li class="queued-more">${word("claim_queue_more", { count: more })}</li>` : nothing}`, part("queue-list"));
}

// The foot of the screen: the last rolls (what did I miss?) and, small, the health of the controller.

/**
 * One roll of the history as a tile: sign of the seat, then its number; a robber roll shows its target.
 * @param {Api.Picture} picture
 * @param {Api.PastRoll} roll
 * @param {boolean} current
 */
function rollTile(picture, roll, current) {
  const robber = roll.kind === "robber";
  const seat = robber ? { ...NOBODY, sign: "robber", name: word("robber") } : seatFrom(picture, roll);
  const result = robber ? roll.robber_target : roll.sum;
  const said = [phaseText({ ...picture, phase: "round", round: roll.round }), seat?.name ?? "", result].join(" ");
  return html`<li class="tile ${current ? "current" : ""}" data-colour=${(seat ?? NOBODY).colour} aria-label=${said}>${symbol(seat?.sign ?? "hex")}${result === "desert" ? symbol("desert") : html`<span class="tile-number">${result}</span>`}</li>`;
}

/**
 * @param {Api.PastRoll} roll
 * @param {Api.Picture} picture
 */
function isCurrent(roll, picture) {
  return !picture.paused && picture.phase === roll.kind && picture.round === roll.round;
}

/** @param {Api.Picture} picture */
export function showHealth(picture) {
  const { level, text } = firstTrouble(picture.health);
  const health = part("health");
  // Warnings are for the crew and stand on the director's page; the hall only sees what stops play.
  show(health, level === "fault");
  setData(health, "level", level);
  setData(document.body, "health", level);
  health.style.setProperty("--letters", String(text.length));
  render(level === "fault" ? html`${symbol("warning")}<span>${text}</span>` : nothing, health);
}

/**
 * Tiles that stay are not touched: a new roll moves the others on.
 * @param {Api.Picture} picture
 */
export function showHistory(picture) {
  const texts = picture.history.map((roll) => JSON.stringify([roll, picture.seats, spokenLanguage()]));
  const key = (/** @type {Api.PastRoll} */ _, /** @type {number} */ at) => `${texts.lastIndexOf(texts[at] ?? "") - at} ${texts[at]}`; // two sevens in a row may be the same
  render(repeat(picture.history, key, (roll, at) => rollTile(picture, roll, at === 0 && isCurrent(roll, picture))), part("history"));
}
