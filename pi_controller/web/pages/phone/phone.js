// The page of a phone in the hall: countdown, roll and side in large print, and whether it is the turn of its own seat.

import { html, nothing, render } from "../vendor/lit-html/lit-html.js";
import { languageMenu, roll, symbol, themeButton } from "../lib/components.js";
import { drawBy, redraw } from "../lib/dom.js";
import { Feed } from "../lib/feed.js";
import { clockMs, clockText, countInText, digitsText, linkNews, messageOf, remainingMs, sceneOf, timerMs } from "../lib/reading.js";
import { NOBODY, namedSeat, seatFrom } from "../lib/seats.js";
import { beginsText, claimText, coverTexts, linkTexts, messageText, noticeTexts, phaseText, reasonTexts, sevenTexts, timerText, turnText as askedText, winnerTexts, winnersTitle } from "../lib/texts.js";
import { told, word } from "../lib/words.js";
import { Awake } from "./awake.js";
import { OwnSeat, Senses } from "./seat.js";

/** @import { Scene } from "../lib/reading.js" */

// What a phone shows of its picture: the clock of the hall in large print.

/** @typedef {Phone.PhonePicture} Picture */

/**
 * Whose turn it is, as the own seat sees it; empty where there is no own seat or nobody plays.
 * @param {Picture} picture
 * @param {Scene} scene
 * @param {string | null} side
 */
function turnText(picture, scene, side) {
  if (side === null || picture.phase === "robber" || ["collecting", "ended", "pause"].includes(scene)) return "";
  const due = picture.seats[picture.seat ?? picture.next_seat ?? -1]?.id;
  if (due === side) return word(picture.side === side && scene === "play" ? "phone_your_turn" : "phone_your_turn_next");
  return "";
}

/**
 * @param {Picture} picture
 * @param {number} coreNow
 */
function playing(picture, coreNow) {
  const left = remainingMs(picture, coreNow);
  const text = digitsText(picture, coreNow);
  const help = sevenTexts(picture);
  const asked = askedText(picture);
  const share = picture.duration_ms > 0 ? Math.min(1, left / picture.duration_ms) : 0;
  return html`<h1 class="title">${phaseText(picture)}</h1>
    <p class="digits" data-is="digits" data-length=${text.length} role="timer">${text}</p>
    <progress class="bar" max="1" ?hidden=${picture.turn?.timed === false} .value=${share} aria-hidden="true"></progress>
    ${asked === "" ? nothing : html`<p class="asked" data-is="asked">${asked}</p>`}
    <div class="roll" data-is="roll">${roll(picture)}</div>
    ${help.length > 0 ? html`<ul class="help-lines">${help.map((line) => html`<li>${line}</li>`)}</ul>` : nothing}`;
}

/**
 * @param {Picture} picture
 * @param {number} coreNow
 */
function pausing(picture, coreNow) {
  return html`<p class="title">${phaseText(picture)}</p>
    <h1 class="large">${word("paused")}</h1>
    <ul class="reasons" data-is="reasons">${reasonTexts(picture).map((text) => html`<li>${text}</li>`)}</ul>
    <p class="left"><b>${word("seconds_left", { seconds: clockMs(picture, coreNow) / 1_000 })}</b> ${word(picture.turn?.timed === false ? "turn_elapsed" : "time_left")}</p>
    <div class="roll" data-is="roll">${roll(picture)}</div>`;
}

/** @param {Picture} picture */
function ending(picture) {
  const { winners } = picture;
  return html`<p class="title">${word("ended_title")}</p>
    <h1 class="large">${winnersTitle(picture)}</h1>
    <ul class="winners" data-is="winners">${winners.map((winner) => {
      const seat = seatFrom(picture, winner);
      const { who, rest } = winnerTexts(picture, winner);
      return html`<li data-colour=${seat?.colour ?? NOBODY.colour}>${symbol(seat?.sign ?? "wreath")}<span><b>${who}</b><span>${rest}</span></span></li>`;
    })}</ul>
    <p class="help">${picture.decided_by === null ? "" : word(`decided_${picture.decided_by}`)}</p>`;
}

/**
 * @param {Picture} picture
 * @param {Scene} scene
 * @param {number} coreNow
 */
function sceneView(picture, scene, coreNow) {
  if (scene === "pause") return pausing(picture, coreNow);
  if (scene === "ended") return ending(picture);
  if (scene === "collecting") return html`<h1 class="large">${word("collecting_title")}</h1><p class="help">${word("collecting")}</p>`;
  if (scene === "ready") return html`<h1 class="large">${word("ready_title")}</h1>`;
  if (scene === "countin") {
    return html`<h1 class="title">${word(picture.phase === "ready" ? "starts_in" : "goes_on")}</h1><p class="digits" data-is="digits" data-length="1">${countInText(picture, coreNow)}</p>`;
  }
  return playing(picture, coreNow);
}

/**
 * What stands below the clock: claims, notices, the director's line, the free timer, what the voice says.
 * @param {Picture} picture
 * @param {number} coreNow
 */
function lines(picture, coreNow) {
  const message = messageOf(picture, coreNow);
  const timer = timerMs(picture, coreNow);
  const { caption } = picture;
  const said = caption === null || coreNow >= caption.until_ms ? "" : told("", caption);
  return html`<footer class="lines">
    ${message === null ? nothing : html`<p class="message" data-is="message">${messageText(message)}</p>`}
    ${timer === null ? nothing : html`<p class="timer"><span>${picture.timer === null ? "" : timerText(picture.timer)}</span> <b>${clockText(timer)}</b></p>`}
    ${picture.claims.map((claim) => html`<p class="claim">${symbol("wreath")}<span>${claimText(picture, claim)}</span></p>`)}
    ${noticeTexts(picture).map(({ text }) => html`<p class="notice">${text}</p>`)}
    ${said === "" ? nothing : html`<p class="caption" data-is="caption">${symbol("voice")}<span>${said}</span></p>`}
  </footer>`;
}

/**
 * @param {Picture} picture
 * @param {number} coreNow
 */
function clock(picture, coreNow) {
  const side = seat.seat?.side ?? null;
  const [said, ...more] = linkTexts(picture, coreNow);
  if (linkNews(picture, coreNow) === "none") return coverOf(said, more[0]);
  const scene = sceneOf(picture);
  const who = namedSeat(picture, scene);
  const named = scene === "ready" ? beginsText(picture) : (who?.name ?? "");
  const turn = turnText(picture, scene, side);
  return html`${said ? html`<p class="no-link" data-is="link" role="status"><b>${said}</b>${more.join("\n")}</p>` : nothing}
    <main class="clock" data-is="clock" data-old=${said ?? nothing} data-scene=${scene} data-colour=${who?.colour ?? NOBODY.colour} data-own=${turn !== "" && picture.side === side}>
      <p class="who" data-is="who">${who === null ? nothing : symbol(who.sign)}${named === "" ? nothing : html`<span>${named}</span>`}</p>
      <div class="scene">${sceneView(picture, scene, coreNow)}</div>
      <p class="turn" data-is="turn" role="status">${turn}</p>
    </main>${seat.claimPlace(picture)}${lines(picture, coreNow)}`;
}

/** @param {(string | undefined)[]} texts */
const coverOf = (...[title, help]) => html`<main class="cover" data-is="cover">${symbol("link")}<div role="status"><h1>${title}</h1><p>${help}</p></div></main>`;

const FRAME_MS = 100; // a tenth is all that can be seen of whole seconds, and saves the phone's battery

const awake = new Awake();
const senses = new Senses();
const seat = new OwnSeat(senses);
/** @type {Feed<Phone.PhonePicture>} */
const feed = new Feed({ onPicture: (picture) => senses.follow(picture, seat.seat?.side ?? null), path: () => seat.keyed("/api/phone") });

function draw() {
  const { picture } = feed;
  const [state, coreNow] = [document.hidden ? "waiting" : feed.state(), feed.coreNow()];
  render(html`<header>${seat.button(picture)}<nav class="ways">${languageMenu()}${themeButton()}</nav>${awake.draw()}</header>
    ${seat.sheet(picture)}
    ${picture === null || coreNow === null || state !== "fresh" ? coverOf(...coverTexts(state, feed.why)) : clock(picture, coreNow)}`, document.body);
}

// What a hidden page showed last is painted first when it comes back: so it is drawn anew at once.
document.addEventListener("visibilitychange", redraw);
setInterval(redraw, FRAME_MS);
drawBy(draw);
