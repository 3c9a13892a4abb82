// What stands on the screens besides clock and dice, when the game will probably end, and what is lost in the hall.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { symbol } from "../components/symbol.js";
import { forecastWall } from "../forecast.js";
import { clockText, roundsLeft, timerMs } from "../reading.js";
import { messageText, timerText } from "../texts.js";
import { timeText, word } from "../words.js";

/**
 * @import { Feed } from "../feed.js"
 * @import { Desk } from "./desk.js"
 */

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
    ${picture.cover === "none" ? nothing : line("warning", word(picture.cover === "black" ? "cover_now_black" : "cover_now_test"))}
    ${picture.message === null || picture.message.text === "" ? nothing
      : line("voice", messageText(picture.message), desk.button("say", word("unsay"), () => desk.send("say", { text: "" }), { look: "small" }))}
    ${picture.timer === null || left === null ? nothing
      : line("play", `${timerText(picture.timer)} ${clockText(left)}`, desk.button("timer", word("timer_stop"), () => desk.send("timer", { stop: true }), { look: "small" }))}
    ${rounds === null ? nothing : line("hex", word("standing_last", { round: picture.last_round ?? 0, count: rounds }))}
    ${picture.notices.includes("robber_possible") ? line("robber", word("standing_robber")) : nothing}
    ${end === null ? nothing : line("wreath", end)}
  </ul>${tables()}`;
}
