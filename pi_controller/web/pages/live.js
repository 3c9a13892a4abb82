// A small view of the hall for the director's page and the virtual hall: phase, roll, countdown, or that news is missing.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { roll } from "./components/roll.js";
import { symbol } from "./components/symbol.js";
import { clockMs, countInText, digitsText, linkNews, sceneOf } from "./reading.js";
import { isOld, sceneTitle } from "./screen_texts.js";
import { NOBODY, namedSeat } from "./seats.js";
import { COVERS, beginsText, reasonTexts, turnText, winnerTexts } from "./texts.js";
import { word } from "./words.js";

/**
 * @import { Feed } from "./feed.js"
 * @import { Scene } from "./reading.js"
 */

/**
 * @param {Api.Picture} picture
 * @param {Scene} scene
 */
function detail(picture, scene) {
  if (scene === "pause") return `${reasonTexts(picture).join(". ")}.`;
  if (scene === "ended") return picture.winners.map((winner) => winner.board ?? winnerTexts(picture, winner).who).join(", ") || word("no_winner");
  if (scene === "collecting") return picture.ranking.length === 0 ? word("ranking_empty") : `1. ${winnerTexts(picture, /** @type {Api.RankedView} */ (picture.ranking[0])).who}`;
  if (scene === "play") return turnText(picture);
  return scene === "ready" ? beginsText(picture) : "";
}

/**
 * @param {Api.Picture} picture
 * @param {Scene} scene
 * @param {number} coreNow
 */
function digits(picture, scene, coreNow) {
  if (scene === "countin") return countInText(picture, coreNow);
  if (scene === "pause") return word("seconds_left", { seconds: clockMs(picture, coreNow) / 1_000 });
  return scene === "play" ? digitsText(picture, coreNow) : "";
}

/**
 * The hall as this feed knows it now.
 * @param {Feed} feed
 */
export function liveView(feed) {
  const state = feed.state();
  const [picture, coreNow] = [feed.picture, feed.coreNow()];
  if (picture === null || coreNow === null || state !== "fresh") {
    return html`<div class="live"><div class="live-cover">${word(COVERS[state === "fresh" ? "waiting" : state][0])}</div></div>`;
  }
  if (linkNews(picture, coreNow) === "none") return html`<div class="live"><div class="live-cover">${word("link_none")}</div></div>`;
  const scene = sceneOf(picture);
  const seat = namedSeat(picture, scene);
  return html`<div class="live" data-old=${isOld(picture)} data-scene=${scene} data-colour=${seat?.colour ?? NOBODY.colour}><div class="live-seen">
    <div class="live-top">
      <div class="live-title">${sceneTitle(picture, scene)}</div>
      <div class="live-mark">${seat === null ? nothing : html`${symbol(seat.sign)}<span>${seat.name}</span>`}</div>
    </div>
    <div class="live-roll">${roll(picture)}</div>
    <div class="live-digits">${digits(picture, scene, coreNow)}</div>
    <div class="live-detail">${detail(picture, scene)}</div>
  </div></div>`;
}
