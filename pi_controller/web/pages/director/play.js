// What the director does during play: the main action, which never moves and never sleeps; the status line; what the stage shows before and
// after a game; time, end and what stands on the screens.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { NEW_CLAIM, Steady, closePanel, drawer, fold, openPanel, panelNow } from "./page.js";
import { healthTexts, pastWays } from "./setup.js";
import { forecastWall } from "../lib/clock.js";
import { once, reasons, symbol } from "../lib/components.js";
import { part, redraw } from "../lib/dom.js";
import { postJson } from "../lib/feed.js";
import { clockText, groupedHex, inTurns, isWaiting, roundsLeft, sceneOf, timerMs } from "../lib/reading.js";
import { nameOf, seatOf } from "../lib/seats.js";
import { firstTrouble, messageText, sealTitle, timerText, winnerTexts, winnersTitle } from "../lib/texts.js";
import { allTold, listed, numberText, timeText, wayTo, word } from "../lib/words.js";

/**
 * @import { Judging } from "./judging.js"
 * @import { Asking } from "./page.js"
 * @import { Desk, Entry } from "../lib/desk.js"
 * @import { Feed } from "../lib/feed.js"
 * @import { Scene } from "../lib/reading.js"
 */

// The main action: one rectangle at one place, with the next thing to do in every phase. What cannot be done now is not offered. A touch does
// what the label said when the finger went down; for a moment after a label has changed only Pause acts: the second of two touches never
// takes back what the first has done, and who meant Resume while another has resumed freezes nothing. Pause has a second place of its own,
// beside what else may be done instead, whenever the main action is another one.

/** @typedef {Api.Picture | null} Seen */
/** @typedef {{ is: string, label: string, icon: string, act: (seen: Seen) => unknown, colour?: string }} Action */

/** @param {Api.Picture} picture @param {{ board: string | null, side: string | null }} of */
const whose = (picture, { board, side }) => [board ?? (inTurns(picture) ? "" : word("claim_button")), nameOf(picture, side)].filter(Boolean).join(" ");

/** @param {Api.Picture} picture */
const leaders = (picture) => picture.ranking.filter(({ place }) => place === 1).map((each) => whose(picture, each)).join(", ");

/** A button of which the label decides what a touch does. */
class SteadyButton {
  #steady = new Steady();
  #waiting = false;
  /** @type {{ action: Action, seen: Seen } | null} */
  #touched = null; // as it was when the finger went down

  /**
   * @param {Desk} desk
   * @param {() => Action | null} action
   */
  constructor(desk, action) {
    this.desk = desk;
    this.action = action;
  }

  /** @param {Action} action */
  #isDeaf({ is }) {
    return is !== "pause" && this.#steady.deaf;
  }

  /** @param {Action | null} action */
  #follow(action) {
    if (this.desk.state === "fresh") this.#steady.follow(action === null ? "-" : `${action.is} ${action.label}`);
  }

  #down() {
    const action = this.action();
    this.#follow(action);
    this.#touched = action === null || this.#isDeaf(action) ? null : { action, seen: this.desk.picture };
  }

  /** @param {MouseEvent} event */
  async #click({ detail }) {
    if (detail === 0) this.#down(); // by a key
    const touched = this.#touched;
    this.#touched = null;
    if (touched === null) return;
    this.#waiting = true;
    await touched.action.act(touched.seen);
    this.#waiting = false;
    redraw();
  }

  /**
   * @param {string} look
   * @param {string} name
   * @param {unknown} hint what stands there while it does nothing
   */
  draw(look, name, hint = nothing) {
    const action = this.action();
    this.#follow(action);
    if (action === null) return html`<span class=${look} data-is=${name} data-mode="none">${hint}</span>`;
    const long = action.label.length > 34 ? "very" : action.label.length > 13 ? "yes" : action.label.length > 9 ? "some" : "no";
    return html`<button type="button" class="${look} ${this.#waiting ? "waiting" : ""}" data-is=${name} data-mode=${action.is} data-long=${long} data-colour=${action.colour ?? nothing} aria-disabled=${this.#isDeaf(action) ? "true" : nothing}
      @pointerdown=${() => this.#down()} @pointercancel=${() => (this.#touched = null)} @click=${(/** @type {MouseEvent} */ event) => this.#click(event)}>${symbol(action.icon)}<span>${action.label}</span></button>`;
  }
}

/**
 * @param {Desk} desk
 * @param {Judging} judge
 * @param {Asking} asking
 */
export function mainAction(desk, judge, asking) {
  /** @param {string} is @param {string} label @param {string} icon @param {Action["act"]} act @param {string} [colour] @returns {Action} */
  const action = (is, label, icon, act, colour) => ({ is, label, icon, act, colour });
  const pause = action("pause", "", "pause", () => desk.send("pause"));
  const ask = (/** @type {import("./page.js").Asked} */ what) => () => {
    location.hash = "show";
    asking.ask(what);
  };
  const look = () => action("look", word("look_why"), "warning", () => {
    location.hash = "show";
    redraw();
    /** @type {HTMLElement | null} */ (document.querySelector('[data-is="start-reason"], [data-is="resume-override"]') ?? document.querySelector('[data-is="gate"]'))?.focus();
  });
  const paused = () => ({ ...pause, label: word("pause") });

  /**
   * What the button of the turn does for who acts, or for the next one where nobody does.
   * @param {Api.Picture} picture
   */
  function turn(picture) {
    const { next_seat: next, phase, seat, seats, turn: now } = picture;
    const id = seats[seat ?? next ?? 0]?.id ?? "";
    const { colour, name, sign } = seatOf(picture, id);
    const key = phase === "founding" ? "turn_placed" : now?.building ? "turn_go_on" : now?.to_roll ? "turn_roll_for" : "turn_end_of";
    return action("turn", /** @type {(key: string, params: { side: string }) => string} */ (word)(key, { side: name }), sign, (seen) => desk.send("turn", { seat: id }, seen), colour);
  }

  /** The next thing to do; null where there is nothing. */
  function next() {
    const { picture } = desk;
    if (desk.state !== "fresh" || picture === null) return paused();
    const scene = sceneOf(picture);
    if (scene === "countin") return action("freeze", word("freeze_again"), "pause", pause.act);
    if (desk.directing.watching || desk.follows) {
      if (scene === "play") return paused();
      return desk.follows ? null : action("take-over", word("take_over"), "play", ask("take-over"));
    }
    const verdict = judge.verdict();
    if (verdict !== null && desk.whyNot(verdict.command).length === 0) return action("verdict", verdict.text, verdict.enough ? "wreath" : "hex", verdict.give);
    const claim = picture.claims.find(isWaiting);
    if (scene === "play") return picture.turn === null ? paused() : turn(picture);
    if (scene === "ready") return picture.allowed.start == null ? action("start", word("start"), "play", (seen) => desk.send("start", {}, seen)) : look();
    if (scene !== "ended" && claim !== undefined) return action("judge", word("judge_whose", { whose: whose(picture, claim) }), "wreath", () => openPanel(claim.id));
    if (scene === "pause") return picture.allowed.resume == null ? action("resume", word("resume"), "play", (seen) => desk.send("resume", {}, seen)) : look();
    if (scene === "ended") return picture.closed ? action("arm", word("game_title"), "play", ask("arm")) : action("close", word("close_game"), "wreath", ask("close"));
    return picture.ranking.length === 0 ? action("sheet", word("new_sheet"), "hex", () => openPanel(NEW_CLAIM)) : action("end", word("end_wins", { who: leaders(picture) }), "wreath", ask("end"));
  }

  /** What may be done instead of the main action. */
  function instead() {
    const { picture } = desk;
    if (desk.state !== "fresh" || picture === null) return null;
    if (panelNow() !== null) return action("back", word("back_to_claims"), "hex", closePanel);
    const now = next();
    if (now?.is === "judge" && sceneOf(picture) === "pause" && picture.allowed.resume?.override === true) return action("resume", word("resume_without"), "play", (seen) => desk.send("resume", { override: true }, seen));
    return null;
  }

  /** Pause at its own place; null where the main action is Pause or nothing runs. */
  function second() {
    const runs = desk.picture !== null && ["play", "countin"].includes(sceneOf(desk.picture));
    return next()?.is !== "pause" && runs ? paused() : null;
  }

  const [main, other, pausing] = [new SteadyButton(desk, next), new SteadyButton(desk, instead), new SteadyButton(desk, second)];
  return {
    /** What the key of the pause does: nothing but a pause. */
    pauseByKey() {
      if (desk.state !== "fresh" || desk.picture === null || ["play", "countin"].includes(sceneOf(desk.picture))) pause.act(null);
    },
    draw: () => html`${main.draw("big", "primary")}<div class="instead">${other.draw("other", "instead")}${pausing.draw("stop", "pause", next()?.is === "pause" ? html`<kbd>${word("key_space")}</kbd>` : nothing)}</div>`,
  };
}

// One line with how things are: what was refused, the connection, who directs, the health, what was done last. Its height is reserved; all of
// it stands behind it.

/** @typedef {{ level: "bad" | "warn" | "good" | "", is: string, text: string }} Said */

/**
 * `tell(entry)` for each change of the newest command's entry: a refusal goes away with the scene in which it was given.
 * @param {Desk} desk
 * @param {import("./directors.js").Directing} directing
 * @param {Asking} asking
 */
export function statusLine(desk, directing, asking) {
  /** @type {Entry | null} */
  let entry = null;
  /** @type {Scene | null} */
  let saidIn = null;
  const scene = () => (desk.picture === null ? null : sceneOf(desk.picture));

  /** @returns {Said[]} the most important first */
  function said() {
    if (saidIn !== scene() && entry?.status !== "accepted") entry = null;
    const all = /** @type {Said[]} */ ([]);
    const add = (/** @type {Said["level"]} */ level, /** @type {string} */ is, /** @type {string} */ text) => text !== "" && all.push({ level, is, text });
    const failed = entry !== null && entry.status !== "accepted" && entry.status !== "pending";
    add("bad", "lost-why", desk.lostWhy.join(" "));
    if (failed) add("bad", "answer-text", entry?.reasons.join(" ") ?? "");
    add("warn", "directing-news", [directing.news, ...directing.refused].filter(Boolean).join(" "));
    if (desk.state === "fresh" && desk.picture !== null) {
      const { level, text } = firstTrouble(desk.picture.health);
      add(level === "fault" ? "bad" : "warn", "health-line", text);
    }
    if (entry !== null && !failed) add(entry.status === "accepted" ? "good" : "", "last-line", word(entry.status === "accepted" ? `done_${entry.name}` : "sending"));
    if (all.length === 0 && desk.state === "fresh") add("", "all-well", word("health_ok"));
    return all;
  }

  function who() {
    const { watching, others, name, directs } = directing;
    if (!watching && others.length === 0) return nothing;
    const text = watching ? word("directing_other", { name }) : word(directs === null ? "directing_nobody" : "directing_own");
    return html`<span class="directing-who" data-is="directing" data-watching=${watching}>${text}</span>`;
  }

  return {
    /** @param {Entry} newest */
    tell(newest) {
      [entry, saidIn] = [newest, scene()];
    },
    draw() {
      const [first, ...more] = said();
      return html`<section class="status-line" data-is="status-line" aria-label=${word("status_title")}>
        <button type="button" class="plain said" data-is="status" data-level=${first?.level ?? ""} popovertarget="drawer-status">${first?.level === "bad" || first?.level === "warn" ? symbol("warning") : nothing}
          <span class="said-lines">${who()}${first === undefined ? html`<span class="only-spoken">${word("status_title")}</span>` : html`<span data-is=${first.is} role=${first.level === "bad" ? "alert" : "status"}>${first.text}</span>`}</span>
          <span class="more-said" aria-hidden="true">${more.length > 0 ? `+${more.length}` : "▾"}</span></button>
        ${directing.watching ? html`<button type="button" class="small" data-is="take-over" @click=${() => asking.ask("take-over")}>${word("take_over")}</button>` : nothing}
      </section>`;
    },
    /** All of it: health and seal, what was said of directing, what became of the last commands. */
    drawer() {
      const { picture } = desk;
      return drawer("status", word("status_title"), html`
        ${reasons(said().filter(({ is }) => is !== "health-line" && is !== "last-line").map(({ text }) => text), { look: "status-said" })}
        ${directing.news === "" && directing.refused.length === 0 ? nothing : html`<button type="button" data-is="directing-close" @click=${() => directing.close()}>${word("understood")}</button>`}
        <h3>${word("health_title")}</h3>
        <ul class="health" data-is="health">${picture === null ? nothing : healthTexts(picture.health).map((text) => html`<li class=${picture.health.level}>${symbol(picture.health.level === "ok" ? "seal" : "warning")}<span>${text}</span></li>`)}</ul>
        <h3>${word("sent_title")}</h3>
        <ol class="log" aria-live="polite">${desk.entries.length > 0 ? desk.entries.map((each) => sentLine(desk, each)) : html`<li class="hint">${word("sent_empty")}</li>`}</ol>
        <h3 data-is="seal-title">${picture === null ? word("seal_title") : sealTitle(picture)}</h3>
        <p class="hex" data-is="seal">${groupedHex(picture?.commitment ?? "")}</p>`);
    },
  };
}

/** @param {Desk} desk @param {Entry} entry */
function sentLine(desk, entry) {
  const unsure = entry.status === "failed" || entry.status === "unsaved";
  return html`<li class="entry ${entry.status}">
    <span class="entry-name">${entry.status === "accepted" ? word(`done_${entry.name}`) : word(`command_${entry.name}`)}</span>
    <span class="entry-status">${entry.status === "accepted" ? "✓" : word(entry.status)}</span>
    ${entry.reasons.map((reason) => reasons([reason], { look: "entry-reason" }))}
    ${unsure ? html`<button type="button" @click=${() => desk.sendAgain(entry)}>${word("send_again")}</button>` : nothing}
  </li>`;
}

// What stands against the start, or against going on: every reason at once. Where it may be done all the same, why a start is is typed first;
// that goes into the journal.

/** @param {Desk} desk */
export function gate(desk) {
  async function start() {
    const reason = part("start-reason").value.trim();
    if (reason === "") return part("start-reason").focus();
    await desk.send("start", { override: true, reason });
  }

  /** @param {Api.Picture} picture */
  function against(picture) {
    const scene = sceneOf(picture);
    if (desk.state !== "fresh" || desk.follows || (scene !== "ready" && scene !== "pause")) return null;
    const name = scene === "ready" ? "start" : "resume";
    const found = picture.allowed[name] ?? null;
    return found === null || (name === "resume" && picture.claims.some(isWaiting)) ? null : { name, ...found };
  }

  /** @param {Api.Picture} picture */
  return (picture) => {
    const found = against(picture);
    if (found === null) return nothing;
    const { name, override } = found;
    return html`<section class="card gate" data-is="gate" tabindex="-1" aria-label=${word("gate_title")}>
      <h2>${word(name === "start" ? "gate_title" : "gate_resume")}</h2>
      <ul>${allTold(found.reasons, found.keys).map((reason) => html`<li>${symbol("warning")}<span>${reason}</span></li>`)}</ul>
      ${!override ? nothing : name === "resume" ? html`<div class="row">${desk.button("resume", word("override"), () => desk.send("resume", { override: true }), { is: "resume-override" })}</div>` : html`<div class="fields">
        <label class="wide"><span>${word("gate_why")}</span><input data-is="start-reason" maxlength="200" autocomplete="off"></label>
        <button type="button" class="risky" data-is="override" @click=${start}>${word("override_start")}</button>
      </div>`}
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
function coverButtons(desk) {
  const cover = desk.picture?.cover ?? "none";
  return html`<div class="row" data-is="cover-card" data-kind=${cover}>${COVERS.map((kind) => desk.button("cover", word(`cover_show_${kind}`), () => desk.send("cover", { kind }), { is: `cover-${kind}`, pressed: kind === cover }))}</div>
    ${desk.against("cover")}`;
}

// The end: the rounds that are still to come; the result, and what may be done with it.

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
  return word("end_ranking", { winners: listed(winners.map((each) => [each.board, seatOf(picture, String(each.side)).name].join(" "))) });
}

/**
 * The questions, over the stage: each in another place than the button that leads to it.
 * @param {Desk} desk
 * @param {import("./directors.js").Directing} directing
 * @param {Asking} asking
 * @param {() => unknown} arm as it is chosen in Setup
 */
export function questions(desk, directing, asking, arm) {
  const phase = desk.picture?.phase ?? null;
  const mine = !directing.watching && !desk.follows;
  return html`${asking.draw("take-over", { possible: directing.watching, question: word("take_over_sure", { name: directing.name }), yes: word("take_over_yes"), act: () => directing.takeOver() })}
    ${asking.draw("end", { possible: mine && phase !== null && phase !== "ended", question: endText(desk), yes: word("end_now"), act: () => desk.send("end", { confirm: true }) })}
    ${asking.draw("close", { possible: mine && phase === "ended" && desk.picture?.closed === false, question: word("close_sure"), yes: word("close_now"), act: () => desk.send("close", { confirm: true }) })}
    ${asking.draw("arm", { possible: mine && phase === "ended", question: word("arm_sure"), yes: word("arm_now"), act: arm, more: html`<button type="button" data-is="arm-setup" @click=${() => (location.hash = "setup")}>${word("arm_otherwise")}</button>` })}`;
}

/** @param {Desk} desk */
export function resultCard(desk) {
  const { picture } = desk;
  if (picture?.phase !== "ended") return nothing;
  return html`<section class="card result" data-is="result">
    <h2>${winnersTitle(picture)}</h2>
    <ul>${picture.winners.map((winner) => {
      const { who, rest } = winnerTexts(picture, winner);
      return html`<li><b>${who}</b> ${rest}</li>`;
    })}</ul>
    <p class="hint" data-is="closed-or-not">${closedText(desk)}</p>
    <p class="past-ways" data-is="past-ways">${pastWays(picture.game_id)}</p>
  </section>`;
}

/**
 * @param {Desk} desk
 * @param {Feed} feed
 * @param {Asking} asking
 */
export function endFold(desk, feed, asking) {
  const { picture } = desk;
  const ended = picture?.phase === "ended";
  const turns = inTurns(picture);
  const coreNow = feed.coreNow();
  const forecast = picture === null || coreNow === null ? null : forecastText(picture, coreNow);

  function announce() {
    const count = part("last-count");
    if (count.reportValidity() && count.value !== "") desk.send("last_rounds", { count: Number(count.value) });
  }

  return fold("end", word("end_title"), forecast ?? "", html`
    <div class="fields" ?hidden=${ended}>
      ${desk.button("end", word("end"), () => asking.ask("end"), { is: "end", look: "risky" })}
    </div>
    ${turns ? desk.against("end") : desk.against("last_rounds", "end")}`, turns || ended ? nothing : html`<div class="fields">
      <label><span class="beside">${word("last_help")}</span><input data-is="last-count" type="number" min="0" max="99" value="3" inputmode="numeric"></label>
      ${desk.button("last_rounds", word("announce"), announce, { is: "last-go" })}
    </div>`);
}

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
 * What stands on the screens besides clock and dice, and what covers them.
 * @param {Desk} desk
 */
export function screensFold(desk) {
  const { picture } = desk;
  const rounds = picture === null ? null : roundsLeft(picture);
  const line = (/** @type {string} */ sign, /** @type {unknown} */ text, /** @type {unknown} */ act = nothing) => html`<li>${symbol(sign)}<span>${text}</span>${act}</li>`;
  const covered = picture !== null && picture.cover !== "none" ? word(`cover_now_${picture.cover}`) : "";
  return fold("screens", word("cover_title"), covered === "" && picture?.rehearsal ? word("rehearsal") : covered, html`
    ${picture === null ? nothing : html`<ul class="standing" data-is="standing">
      ${picture.rehearsal ? line("warning", word("rehearsal")) : nothing}
      ${picture.message === null || picture.message.text === "" ? nothing : line("voice", messageText(picture.message), desk.button("say", word("unsay"), () => desk.send("say", { text: "" }), { look: "small" }))}
      ${picture.timer === null ? nothing : line("play", timerText(picture.timer), desk.button("timer", word("desk_timer_stop"), () => desk.send("timer", { stop: true }), { look: "small" }))}
      ${rounds === null ? nothing : line("hex", word("standing_last", { round: picture.last_round ?? 0, count: rounds }))}
      ${picture.notices.includes("robber_possible") ? line("robber", word("standing_robber")) : nothing}
    </ul>`}
    ${coverButtons(desk)}
    <p><a href=${wayTo("/")}>${word("to_hall")}</a></p>`);
}

/**
 * What is left of the free timer, for its fold; drawn with each frame.
 * @param {Feed} feed
 */
export function timerLeft(feed) {
  const [{ picture }, coreNow] = [feed, feed.coreNow()];
  const left = picture === null || coreNow === null ? null : timerMs(picture, coreNow);
  return left === null || feed.state() !== "fresh" ? "" : clockText(left);
}
