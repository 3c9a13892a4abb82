// The moderator's page: what to say now and next, the clock, claims, and notes from the director, to be read at one glance on a stage.

import { repeat } from "../vendor/lit-html/directives/repeat.js";
import { html, nothing, render } from "../vendor/lit-html/lit-html.js";
import { forecastWall } from "../lib/clock.js";
import { Actions, claimant, languageMenu, once, roll, symbol, themeButton, transportWarning } from "../lib/components.js";
import { drawBy, redraw } from "../lib/dom.js";
import { Feed } from "../lib/feed.js";
import { linkLine } from "../lib/head.js";
import { clockText, countInText, digitsText, isWaiting, linkNews, messageOf, sceneOf, timerMs } from "../lib/reading.js";
import { NOBODY, namedSeat } from "../lib/seats.js";
import { NotesFeed, noteState } from "../lib/shared.js";
import { beginsText, coverTexts, firstTrouble, isOld, messageText, momentText, phaseText, sceneTitle, timerText } from "../lib/texts.js";
import { timeText, told, wayTo, word } from "../lib/words.js";
import { spokenNext, spokenNow } from "./spoken.js";

/**
 * @import { Scene } from "../lib/reading.js"
 * @import { Note } from "../lib/shared.js"
 * @import { Speech } from "./spoken.js"
 */

// The claims in the order of the presses, numbered as on the hall screen, without those taken back: whose, when, and what has become of each.

const MOST = 6;

/** @param {Api.ClaimView} claim */
const stateText = ({ status, passed }) => word(passed && status === "open" ? "claim_passed" : `claim_${status}`);

/**
 * Where there are too many, the oldest that are settled are left out, then the last of those that wait.
 * @param {Api.Picture} picture
 */
function shownClaims({ claims }) {
  const placed = claims.map((claim, index) => ({ claim, place: index + 1 })).filter(({ claim }) => claim.status !== "withdrawn");
  const [waiting, settled] = [placed.filter(({ claim }) => isWaiting(claim)).slice(0, MOST), placed.filter(({ claim }) => !isWaiting(claim))];
  const room = MOST - waiting.length;
  return [...waiting, ...settled.slice(settled.length - Math.min(room, settled.length))].sort((one, other) => one.place - other.place);
}

/** @param {Api.Picture} picture */
function claimsList(picture) {
  const shown = shownClaims(picture);
  if (shown.length === 0) return nothing;
  return html`<section class="side-card claims" data-is="claims"><h2>${word("claims_card")}</h2>
    <ul>${shown.map(({ claim, place }) => html`<li data-open=${isWaiting(claim)}><b>${place}.</b>
      <span>${claimant(picture, claim)}<small>${momentText(claim, "claim_moment", picture)} · ${stateText(claim)}</small></span></li>`)}</ul>
  </section>`;
}

// The clock of the moderator's page: round, side, roll, and what is left.

const OUT_OF_PLAY = ["ready", "collecting", "ended"];

/**
 * @param {Api.Picture} picture
 * @param {Scene} scene
 * @param {number} coreNow
 */
function digits(picture, scene, coreNow) {
  if (scene === "countin") return countInText(picture, coreNow);
  return scene === "play" || scene === "pause" ? digitsText(picture, coreNow) : "";
}

/**
 * @param {Api.Picture} picture
 * @param {number} coreNow
 */
function clockCard(picture, coreNow) {
  const scene = sceneOf(picture);
  const [who, text, timer] = [namedSeat(picture, scene), digits(picture, scene, coreNow), timerMs(picture, coreNow)];
  const named = scene === "ready" ? beginsText(picture) : (who?.name ?? "");
  return html`<section class="clock" data-is="clock" data-old=${isOld(picture)} data-scene=${scene} data-colour=${who?.colour ?? NOBODY.colour}>
    <div class="who">${who === null ? nothing : symbol(who.sign)}${named === "" ? nothing : html`<span>${named}</span>`}</div>
    ${scene === "ready" ? nothing : html`<p class="clock-title">${scene === "pause" ? html`<b>${word("paused")}</b> · ` : nothing}${OUT_OF_PLAY.includes(picture.phase) ? sceneTitle(picture, scene) : phaseText(picture)}</p>`}
    ${text === "" ? nothing : html`<p class="digits" data-is="digits" data-length=${text.length} role="timer">${text}</p>`}
    <div class="roll">${scene === "play" || scene === "pause" ? roll(picture) : nothing}</div>
    ${timer === null || picture.timer === null ? nothing : html`<p class="timer"><span>${timerText(picture.timer)}</span> <b>${clockText(timer)}</b></p>`}
  </section>`;
}

// Notes from the director, which nobody else sees: those not read yet stand above everything else.

const MOST_PAST = 4;

function moderatorNotes() {
  const notes = new NotesFeed();
  /** @type {Actions<"read", { id: string }>} */
  const actions = new Actions("/api/notes");

  /** @param {Note} note */
  const unread = ({ id, text, written_ms: ms }) => html`<li><p class="note-text">${text}</p><time>${timeText(ms, { seconds: false })}</time>
    <button type="button" @click=${once(() => actions.do("read", { id }))}>${word("note_read")}</button></li>`;

  return {
    /** Those that have not been read, the oldest first. */
    unread() {
      const shown = notes.all.filter(({ read_ms: ms }) => ms === null);
      return html`<section class="notes" data-is="notes" role="status">${shown.length === 0 ? nothing : html`<h2>${word("notes_title")}</h2>
        <ul>${repeat(shown, ({ id }) => id, unread)}</ul>`}</section>${actions.draw()}`;
    },
    /** Those that have been read, the newest first, and whether more may have been written. */
    past() {
      const shown = notes.all.filter(({ read_ms: ms }) => ms !== null).slice(-MOST_PAST).reverse();
      if (shown.length === 0 && notes.open) return nothing;
      return html`<section class="side-card past" data-is="past-notes"><h2>${word("notes_title")}</h2>${notes.open ? nothing : html`<p class="warn">${word("notes_lost")}</p>`}
        <ul>${shown.map((note) => html`<li><span>${note.text}<small>${noteState(note)}</small></span></li>`)}</ul></section>`;
    },
  };
}

// What the moderator should know without saying it: what the screens show, whether the voice is heard, when it will probably end.

/**
 * @param {Api.Picture} picture
 * @param {number} coreNow
 */
function endText(picture, coreNow) {
  const end = picture.rate === 1 ? forecastWall(picture, coreNow) : null;
  if (end === null) return null;
  return word("forecast_end", { from: timeText(end.earliest, { seconds: false }), to: timeText(end.latest, { seconds: false }) });
}

/**
 * @param {Api.Picture} picture
 * @param {number} coreNow
 * @returns {(readonly [sign: string, text: string, look: string])[]}
 */
function lines(picture, coreNow) {
  const { caption, cover, health, sound } = picture;
  const message = messageOf(picture, coreNow);
  const said = caption === null || coreNow >= caption.until_ms ? "" : told("", caption);
  const end = endText(picture, coreNow);
  /** @type {[boolean, string, () => string, string][]} */
  const possible = [
    [firstTrouble(health).level === "fault", "warning", () => word("speak_fault"), "warn"],
    [cover !== "none", "warning", () => word(cover === "black" ? "speak_black" : "speak_test_picture"), "warn"],
    [sound?.muted != null, "voice", () => word("speak_muted"), "warn"],
    [message !== null, "hex", () => word("speak_on_screens", { text: message === null ? "" : messageText(message) }), ""],
    [said !== "", "voice", () => said, ""],
    [end !== null, "wreath", () => end ?? "", ""],
  ];
  return possible.filter(([is]) => is).map(([, sign, text, look]) => [sign, text(), look]);
}

/**
 * @param {Api.Picture} picture
 * @param {number} coreNow
 */
function quietLines(picture, coreNow) {
  const shown = lines(picture, coreNow);
  if (shown.length === 0) return nothing;
  return html`<section class="side-card quiet" data-is="quiet"><h2>${word("speak_quiet")}</h2>
    <ul>${shown.map(([sign, text, look]) => html`<li class=${look}>${symbol(sign)}<span>${text}</span></li>`)}</ul></section>`;
}

const SHORT = 28; // signs that stand in one line of the largest letters
const FRAME_MS = 100; // a tenth is all that can be seen of whole seconds

const feed = new Feed();
const notes = moderatorNotes();

/**
 * @param {string} name
 * @param {string} title
 * @param {Speech} speech
 */
const speechCard = (name, title, { lead, lines }) => html`<section class="speech ${name}" data-is="speak-${name}" ?hidden=${lead === ""}>
  <h2>${title}</h2><p class="said" data-short=${lead.length <= SHORT}>${lead}</p>
  ${lines.length === 0 ? nothing : html`<ul class="said-too">${lines.map((line) => html`<li>${line}</li>`)}</ul>`}
</section>`;

const top = () => html`<header class="top">${transportWarning()}<h1>${word("moderator_title")}</h1>
  <nav class="ways"><a href=${wayTo("/")}>${word("to_hall")}</a>${languageMenu()}${themeButton()}</nav></header>`;

/** @param {ReturnType<typeof feed.state>} state */
function cover(state) {
  const [title, help] = coverTexts(state, feed.why);
  return html`<section class="cover" role="status">${symbol("link")}<div><p class="said">${title}</p><p>${help}</p></div></section>`;
}

function draw() {
  const { picture } = feed;
  const [state, coreNow] = [feed.state(), feed.coreNow()];
  const seen = picture !== null && coreNow !== null && state === "fresh";
  render(html`${top()}<main data-is="moderator" data-seen=${seen}>
    ${notes.unread()}
    ${seen ? linkLine(picture, coreNow) : nothing}
    ${seen && linkNews(picture, coreNow) === "none" ? notes.past() : seen ? html`${clockCard(picture, coreNow)}
      <div class="speaking" data-old=${isOld(picture)}>${speechCard("now", word("speak_now"), spokenNow(picture))}${speechCard("then", word("speak_then"), spokenNext(picture))}${notes.past()}</div>
      <div class="beside">${claimsList(picture)}${quietLines(picture, coreNow)}</div>`
    : html`${cover(state)}${notes.past()}`}
  </main>`, document.body);
}

setInterval(redraw, FRAME_MS);
drawBy(draw);
