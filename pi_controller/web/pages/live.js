// A small view of the hall for the director's page and the virtual hall: phase, roll, countdown, or that news is missing.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { roll } from "./components/roll.js";
import { symbol } from "./components/symbol.js";
import { countInText, exactText, remainingMs, sceneOf, secondsText } from "./reading.js";
import { NOBODY, dueSeat } from "./seats.js";
import { reasonTexts } from "./texts.js";
import { word } from "./words.js";

/**
 * @import { Feed } from "./feed.js"
 * @import { Scene } from "./reading.js"
 */

/**
 * @param {Api.Picture} picture
 * @param {Scene} scene
 */
function title(picture, scene) {
  if (scene === "ready") return word("readyTitle");
  if (scene === "ended") return word("endedTitle");
  if (scene === "countin") return word(picture.phase === "ready" ? "startsIn" : "goesOn");
  const where = word(picture.phase === "robber" ? "afterRound" : "round", { n: picture.round });
  return scene === "pause" ? `${word("paused")} · ${where}` : where;
}

/**
 * @param {Api.Picture} picture
 * @param {Scene} scene
 */
function detail(picture, scene) {
  if (scene === "pause") return `${reasonTexts(picture).join(". ")}.`;
  if (scene === "ended") return picture.winners.map((winner) => winner.board ?? word("claimButton")).join(", ") || word("noWinner");
  const first = scene === "ready" ? dueSeat(picture) : null;
  return first === null ? "" : word("begins", { side: first.name });
}

/**
 * @param {Api.Picture} picture
 * @param {Scene} scene
 * @param {number} coreNow
 */
function digits(picture, scene, coreNow) {
  if (scene === "countin") return countInText(picture, coreNow);
  if (scene === "pause") return `${exactText(remainingMs(picture, coreNow)).join("")} s`;
  return scene === "play" ? secondsText(remainingMs(picture, coreNow)) : "";
}

/**
 * The hall as this feed knows it now.
 * @param {Feed} feed
 */
export function liveView(feed) {
  const state = feed.state();
  const [picture, coreNow] = [feed.picture, feed.coreNow()];
  if (picture === null || coreNow === null || state !== "fresh") {
    return html`<div class="live"><div class="live-cover">${word(state === "fresh" ? "waitingTitle" : `${state}Title`)}</div></div>`;
  }
  const scene = sceneOf(picture);
  const seat = picture.phase === "robber" ? { ...NOBODY, sign: "robber", name: word("robber") } : dueSeat(picture);
  return html`<div class="live" data-scene=${scene} data-colour=${seat?.colour ?? NOBODY.colour}><div class="live-seen">
    <div class="live-mark">${seat === null ? nothing : html`${symbol(seat.sign)}<span>${seat.name}</span>`}</div>
    <div class="live-title">${title(picture, scene)}</div>
    <div class="live-roll">${roll(picture)}</div>
    <div class="live-digits">${digits(picture, scene, coreNow)}</div>
    <div class="live-detail">${detail(picture, scene)}</div>
  </div></div>`;
}
