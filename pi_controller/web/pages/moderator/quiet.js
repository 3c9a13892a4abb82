// What the moderator should know without saying it: what the screens show, whether the voice is heard, when it will probably end.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { symbol } from "../components/symbol.js";
import { forecastWall } from "../forecast.js";
import { firstTrouble } from "../health.js";
import { messageOf } from "../reading.js";
import { messageText } from "../texts.js";
import { timeText, told, word } from "../words.js";

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
export function quietLines(picture, coreNow) {
  const shown = lines(picture, coreNow);
  if (shown.length === 0) return nothing;
  return html`<section class="side-card quiet" data-is="quiet"><h2>${word("speak_quiet")}</h2>
    <ul>${shown.map(([sign, text, look]) => html`<li class=${look}>${symbol(sign)}<span>${text}</span></li>`)}</ul></section>`;
}
