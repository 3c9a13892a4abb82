// What the director does during play: the big button, the start, the clock, the end, and what stands on the screens.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { Asking, drawer } from "./page.js";
import { pastWays } from "./setup.js";
import { forecastWall } from "../lib/clock.js";
import { once, reasons, symbol } from "../lib/components.js";
import { part, redraw } from "../lib/dom.js";
import { postJson } from "../lib/feed.js";
import { clockText, inTurns, roundsLeft, sceneOf, timerMs } from "../lib/reading.js";
import { seatOf } from "../lib/seats.js";
import { messageText, timerText } from "../lib/texts.js";
import { allTold, numberText, timeText, word } from "../lib/words.js";

/**
 * @import { Desk, Entry } from "../lib/desk.js"
 * @import { Feed } from "../lib/feed.js"
 * @import { Scene } from "../lib/reading.js"
 * @import { WordKey } from "../lib/words.js"
 */

// The one control that is always under the thumb: Start, Pause or Resume; at one table the turn, with Pause below it. The space key only ever pauses, and is never deaf. A button
// that has just become something other than Pause is: the second click of two never takes back what the first has done, and who
// meant Resume while another has resumed freezes nothing. Beside it, over the cards, the newest answer that is not "accepted", and
// without connection why only Pause is left.

/** @typedef {{ name: "pause" | "resume" | "start" | "turn" | null, label: WordKey, icon: string, body?: Api.TurnBody, side?: string, colour?: string }} Mode */

/** @satisfies {Record<string, Mode>} */
const MODES = {
  ready: { name: "start", label: "start", icon: "play" },
  play: { name: "pause", label: "pause", icon: "pause" },
  countin: { name: "pause", label: "freeze_again", icon: "pause" },
  pause: { name: "resume", label: "resume", icon: "play" },
  collecting: { name: null, label: "collecting", icon: "wreath" },
  ended: { name: null, label: "game_over", icon: "wreath" },
};
const DEAF_MS = 1_000;
/** @type {Mode} */
const PAUSE = { name: "pause", label: "pause", icon: "pause" };

/**
 * What the button of the turn does for who acts, or for the next one where nobody does; null where it is no turn.
 * @param {Api.Picture} picture
 * @returns {Mode | null}
 */
function turnMode(picture) {
  const { next_seat: next, phase, seat, seats, turn } = picture;
  if (turn === null || sceneOf(picture) !== "play") return null;
  const id = seats[seat ?? next ?? 0]?.id ?? "";
  const { colour, name: side, sign: icon } = seatOf(picture, id);
  const label = phase === "founding" ? "turn_placed" : turn?.building ? "turn_go_on" : turn?.to_roll ? "turn_roll_for" : "turn_end_of";
  return { name: "turn", label, icon, body: { seat: id }, side, colour };
}

/** @param {Desk} desk */
export function primary(desk) {
  let waiting = false;
  /** @type {string | undefined} */
  let before; // what it says; undefined until the first picture or the first click
  let deafUntil = -Infinity; // on the clock of performance.now()
  /** @returns {Mode} */
  const mode = () => (desk.state === "fresh" && desk.picture !== null ? (turnMode(desk.picture) ?? MODES[sceneOf(desk.picture)]) : PAUSE);
  const says = () => [mode().label, mode().side].filter(Boolean).join(" ");
  /** Whether start or resume is refused, which the gate or the answer says why; or another one directs. */
  const refused = () => (["start", "resume"].includes(mode().name ?? "") && desk.picture?.allowed[mode().name ?? ""] != null) || watches();
  const watches = () => (desk.directing.watching || desk.follows) && mode().name !== "pause";

  const deaf = () => before !== "pause" && performance.now() < deafUntil;

  /** @param {string} label */
  function follow(label) {
    if (label === before || (before === undefined && desk.state !== "fresh")) return;
    if (before !== undefined && label !== "pause") {
      deafUntil = performance.now() + DEAF_MS;
      setTimeout(redraw, DEAF_MS);
    }
    before = label;
  }

  function click() {
    follow(says());
    if (!deaf()) give();
  }

  async function give({ name, body } = mode()) {
    if (name === null) return;
    before ??= says();
    waiting = true;
    await desk.send(name, body);
    waiting = false;
    redraw();
  }

  /** @param {KeyboardEvent} event */
  function pauseBySpace(event) {
    if (event.code !== "Space" || isTyping(event.target)) return;
    event.preventDefault();
    if (!event.repeat && ["pause", "turn"].includes(mode().name ?? "")) give(PAUSE);
  }

  document.addEventListener("keydown", pauseBySpace);
  document.addEventListener("keyup", (event) => {
    if (event.code === "Space" && !isTyping(event.target)) event.preventDefault();
  });

  return () => {
    const { name, label, icon, side, colour } = mode();
    follow(says());
    const said = /** @type {(key: WordKey, params: { side: string }) => string} */ (word);
    return html`<button type="button" class="big ${waiting ? "waiting" : ""} ${refused() ? "gated" : ""}" data-is="primary" data-mode=${name ?? "none"} data-colour=${colour ?? nothing} aria-disabled=${deaf() ? "true" : nothing} ?disabled=${name === null || watches()} @click=${click}>
        ${symbol(icon)}<span>${said(label, { side: side ?? "" })}</span><kbd ?hidden=${name !== "pause"}>${word("key_space")}</kbd></button>
      ${name === "turn" ? html`<button type="button" data-is="pause" @click=${() => give(PAUSE)}>${symbol("pause")}<span>${word("pause")}</span></button>` : nothing}`;
  };
}

/** @param {EventTarget | null} target */
const isTyping = (target) => target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement;

/**
 * `tell(entry)` for each change of the newest command's entry, `draw()` what is left to be said of it: a refusal goes away
 * with the scene in which it was given.
 * @param {Desk} desk
 */
export function answerBox(desk) {
  /** @type {Entry | null} */
  let entry = null;
  /** @type {Scene | null} */
  let saidIn = null;
  const scene = () => (desk.picture === null ? null : sceneOf(desk.picture));

  /** What was refused but would be done in spite of the reasons. */
  function overridable() {
    const name = entry?.status === "refused" || entry?.status === "failed" ? entry.name : null;
    return name === "resume" && desk.picture?.allowed[name]?.override === true ? name : null;
  }

  return {
    /** @param {Entry} newest */
    tell(newest) {
      [entry, saidIn] = [newest, scene()];
    },
    draw() {
      if (saidIn !== scene()) entry = null;
      const said = entry === null || entry.status === "accepted" || entry.status === "pending" ? null : entry;
      if (desk.lostWhy.length > 0) {
        const pause = said?.name === "pause" ? said.reasons : [];
        return html`<div class="answer" role="alert">${reasons([...desk.lostWhy, ...pause], { is: "lost-why" })}</div>`;
      }
      if (said === null) return nothing;
      const name = overridable();
      return html`<div class="answer" role="alert">
        ${reasons(said.reasons, { is: "answer-text" })}
        <button type="button" class="plain" aria-label=${word("close")} @click=${() => (entry = null)}>×</button>
        ${name === null ? nothing : html`<button type="button" data-is="resume-override" @click=${() => desk.send(name, { override: true })}>${word("override")}</button>`}
      </div>`;
    },
  };
}

// What stands against the start: every reason at once. Where it may be started all the same, why is typed first; that goes into the journal.

/** @param {Desk} desk */
export function startGate(desk) {
  async function start() {
    const reason = part("start-reason").value.trim();
    if (reason === "") return part("start-reason").focus();
    await desk.send("start", { override: true, reason });
  }

  return () => {
    const { picture } = desk;
    const against = picture?.phase === "ready" && picture.resume_in_ms === null && desk.state === "fresh" && !desk.follows ? (picture.allowed.start ?? null) : null;
    if (against === null) return nothing;
    return html`<section class="gate" data-is="gate" aria-label=${word("gate_title")}>
      <h2>${word("gate_title")}</h2>
      <ul>${allTold(against.reasons, against.keys).map((reason) => html`<li>${symbol("warning")}<span>${reason}</span></li>`)}</ul>
      ${against.override ? html`<div class="fields">
        <label class="wide"><span>${word("gate_why")}</span><input data-is="start-reason" maxlength="200" autocomplete="off"></label>
        <button type="button" class="risky" data-is="override" @click=${start}>${word("override_start")}</button>
      </div>` : nothing}
    </section>`;
  };
}

// Another controller's stick in the place of the second copy: whether its game goes on here is for the director to decide.

const KEY = "journal.copy_of_another";

/** @param {Desk} desk */
export function copyQuestion(desk) {
  /** @type {string[]} */
  let refused = [];

  /**
   * @param {"take_over" | "use"} what
   * @param {string} game
   */
  async function decide(what, game) {
    refused = (await postJson("/api/copy", { do: what, game }, { unanswered: word("action_failed") })).reasons;
  }

  return () => {
    const found = desk.state === "fresh" ? desk.picture?.health.items.find(({ key }) => key === KEY) : undefined;
    if (found === undefined) return nothing;
    const { hall, game } = /** @type {{ hall: unknown, game: string }} */ (found.params);
    const whose = typeof hall === "string" ? hall : word("copy_another");
    return html`<section class="gate" data-is="copy" aria-label=${word("copy_title")}>
      <h2>${symbol("warning")}${word("copy_question", { hall: whose })}</h2>
      <p>${word("copy_help", { game })}</p>
      <div class="fields">
        <button type="button" class="risky" data-is="copy-take-over" @click=${once(() => decide("take_over", game))}>${word("copy_take_over")}</button>
        <button type="button" data-is="copy-use" @click=${once(() => decide("use", game))}>${word("copy_use")}</button>
      </div>
      <p class="mistake" data-is="copy-mistake" role="alert">${refused.join(" ")}</p>
    </section>`;
  };
}

// Time of the present phase: add, take away, end it; and that only one side has got some.

const CHANGES_MS = /** @type {const} */ ([["sub15", -15_000], ["sub5", -5_000], ["add5", 5_000], ["add15", 15_000]]);

/**
 * Which side has gained more time than the others, or ""; after an end it is of no use any more.
 * @param {Api.Picture | null} picture
 */
function unevenText(picture) {
  if (picture === null || picture.phase === "ended") return "";
  const gained = picture.seats.map(({ id }) => ({ id, ms: picture.gained_ms[id] ?? 0 })).sort((one, other) => other.ms - one.ms);
  const [most, least] = [gained[0], gained.at(-1)];
  if (most === undefined || least === undefined || most.ms === least.ms) return "";
  const [side, other] = [seatOf(picture, most.id).name, seatOf(picture, least.id).name];
  return word("gained_uneven", { side, other, seconds: numberText((most.ms - least.ms) / 1_000) });
}

/** @param {Desk} desk */
export function clockCard(desk) {
  const change = (/** @type {(typeof CHANGES_MS)[number]} */ [is, ms]) => desk.button("add_time", word(is), () => desk.send("add_time", { ms }), { is });
  return html`<section class="card clock-card" aria-label=${word("clock_title")}>
    <div class="times">${CHANGES_MS.map(change)}${desk.button("skip", word("skip"), () => desk.send("skip"), { is: "skip", look: "risky" })}</div>
    <p class="uneven" data-is="uneven">${unevenText(desk.picture)}</p>
    ${desk.against("add_time", "skip")}
  </section>`;
}

// Black or a test picture on all screens of the hall at once; the game goes on under it.

const COVERS = /** @type {const} */ (["none", "black", "test"]);

/** @param {Desk} desk */
export function coverCard(desk) {
  const cover = desk.picture?.cover ?? "none";
  return html`<section class="card" data-is="cover-card" data-kind=${cover}>
    <h2>${word("cover_title")}</h2>
    <p class="hint" data-is="cover-now">${word(`cover_now_${cover}`)}</p>
    <div class="row">${COVERS.map((kind) => desk.button("cover", word(`cover_show_${kind}`), () => desk.send("cover", { kind }), { is: `cover-${kind}`, pressed: kind === cover }))}</div>
    ${desk.against("cover")}
  </section>`;
}

// The end: the rounds that are still to come, ending a game and closing an ended one, which take two touches each.

/**
 * Whether the end can still be undone, and until when.
 * @param {Desk} desk
 */
function closedText({ picture }) {
  if (picture === null || picture.phase !== "ended") return "";
  if (picture.closed) return word("closed");
  if (picture.closes_at_ms === null) return word("not_closed");
  return word("closes_by_itself", { count: Math.max(1, Math.ceil((picture.closes_at_ms - picture.as_of_ms) / 60_000)) });
}

/**
 * What the end does now: while sheets are collected it says who wins.
 * @param {Desk} desk
 */
function endText({ picture }) {
  const first = picture?.phase === "collecting" ? picture.ranking[0] : undefined;
  if (picture === null || first === undefined) return word("end_sure");
  const winners = picture.ranking.filter(({ place }) => place === 1);
  return word("end_ranking", { winners: winners.map((each) => [each.board, seatOf(picture, String(each.side)).name].join(" ")).join(", ") });
}

/** @param {Desk} desk */
export function endCard(desk) {
  /** @type {Asking<"end" | "close">} */
  const asking = new Asking(desk);
  const ended = () => desk.picture?.phase === "ended";
  const turns = () => inTurns(desk.picture);
  const open = () => ended() && desk.picture?.closed === false;

  function announce() {
    const count = part("last-count");
    if (count.reportValidity() && count.value !== "") desk.send("last_rounds", { count: Number(count.value) });
  }

  return () => drawer("end", word("end_title"), html`
    <div class="fields" ?hidden=${ended()}>
      <label ?hidden=${turns()}><span class="beside">${word("last_help")}</span><input data-is="last-count" type="number" min="0" max="99" value="3" inputmode="numeric"></label>
      ${desk.button("last_rounds", word("announce"), announce, { is: "last-go", hidden: turns() })}
      ${desk.button("end", word("end"), () => asking.ask("end"), { is: "end", look: "risky" })}
    </div>
    ${asking.draw("end", { possible: !ended(), question: endText(desk), yes: word("end_now"), act: () => desk.send("end", { confirm: true }) })}
    <p class="hint" data-is="closed-or-not" ?hidden=${!ended()}>${closedText(desk)}</p>
    ${ended() ? html`<p class="past-ways" data-is="past-ways">${pastWays(desk.picture?.game_id ?? "")}</p>` : nothing}
    <div class="row" ?hidden=${!open()}>${desk.button("close", word("close_game"), () => asking.ask("close"), { is: "close", look: "risky" })}</div>
    ${asking.draw("close", { possible: open(), question: word("close_sure"), yes: word("close_now"), act: () => desk.send("close", { confirm: true }) })}
    ${turns() ? desk.against("end") : desk.against("last_rounds", "end")}`);
}

// What stands on the screens besides clock and dice, when the game will probably end, and what is lost in the hall.

/**
 * From when to when the end is to be expected, as times of day.
 * @param {Api.Picture} picture
 * @param {number} coreNow
 */
function forecastText(picture, coreNow) {
  const end = forecastWall(picture, coreNow);
  if (end === null) return null;
  const [earliest, latest] = [timeText(end.earliest, { seconds: false }), timeText(end.latest, { seconds: false })];
  if (earliest === latest) return word("forecast_at", { time: earliest });
  return word(picture.forecast?.basis === "usual" ? "forecast_usual" : "forecast_announced", { earliest, latest });
}

/**
 * @param {Desk} desk
 * @param {Feed} feed
 * @param {() => unknown} tables what is lost in the hall
 */
export function standing(desk, feed, tables) {
  const { picture } = desk;
  const coreNow = feed.coreNow();
  if (picture === null || coreNow === null) return nothing;
  const left = timerMs(picture, coreNow);
  const rounds = roundsLeft(picture);
  const line = (/** @type {string} */ sign, /** @type {unknown} */ text, /** @type {unknown} */ act = nothing) => html`<li>${symbol(sign)}<span>${text}</span>${act}</li>`;
  const end = forecastText(picture, coreNow);
  return html`<h2>${word("standing_title")}</h2><ul>
    ${picture.rehearsal ? line("warning", word("rehearsal")) : nothing}
    ${picture.cover === "none" ? nothing : line("warning", word(`cover_now_${picture.cover}`))}
    ${picture.message === null || picture.message.text === "" ? nothing
      : line("voice", messageText(picture.message), desk.button("say", word("unsay"), () => desk.send("say", { text: "" }), { look: "small" }))}
    ${picture.timer === null || left === null ? nothing
      : line("play", `${timerText(picture.timer)} ${clockText(left)}`, desk.button("timer", word("timer_stop"), () => desk.send("timer", { stop: true }), { look: "small" }))}
    ${rounds === null ? nothing : line("hex", word("standing_last", { round: picture.last_round ?? 0, count: rounds }))}
    ${picture.notices.includes("robber_possible") ? line("robber", word("standing_robber")) : nothing}
    ${end === null ? nothing : line("wreath", end)}
  </ul>${tables()}`;
}
