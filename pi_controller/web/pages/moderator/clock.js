// The clock of the moderator's page: round, side, roll, and what is left.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { roll } from "../components/roll.js";
import { symbol } from "../components/symbol.js";
import { clockText, countInText, digitsText, sceneOf, timerMs } from "../reading.js";
import { isOld, sceneTitle } from "../screen_texts.js";
import { NOBODY, namedSeat } from "../seats.js";
import { beginsText, phaseText, timerText } from "../texts.js";
import { word } from "../words.js";

/** @import { Scene } from "../reading.js" */

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
export function clockCard(picture, coreNow) {
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
