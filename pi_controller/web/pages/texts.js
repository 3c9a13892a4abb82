// What a picture says in words, the same on the hall screen and on the staff's pages. Pure: no DOM.

import { reasonKeys } from "./reading.js";
import { hasWord, word } from "./words.js";

/** What covers a page that has no news, as title and help. */
export const COVERS = /** @type {const} */ ({
  lost: ["lost_title", "lost_help"],
  version: ["version_title", "version_help"],
  waiting: ["waiting_title", "waiting_help"],
});

/**
 * Why play is paused; a reason without words as it comes.
 * @param {Pick<Api.Picture, "pause_reasons"> & { health: { lost: boolean } }} picture
 * @returns {string[]}
 */
export function reasonTexts(picture) {
  return reasonKeys(picture).map((key, at) => (hasWord(key) ? word(key) : (picture.pause_reasons[at] ?? key)));
}

/**
 * The director's line: a prepared one in the language that is spoken now, another one as it was typed.
 * @param {Api.Message} message
 */
export function messageText({ text, line }) {
  const key = `prepared_${line}`;
  return hasWord(key) ? word(key) : text;
}

/**
 * What a free timer is for: a prepared name in the language that is spoken now, another one as it was typed.
 * @param {Pick<Api.TimerView, "label" | "prepared">} timer
 */
export function timerText({ label, prepared }) {
  const key = `timer_${prepared}`;
  return hasWord(key) ? word(key) : label;
}

/**
 * Whose a claim or a victory is.
 * @param {Pick<Api.ClaimView, "board">} claim
 */
export function boardText({ board }) {
  return board === null ? word("claim_button") : word("claim_board", { board });
}

/**
 * When a claim was made.
 * @param {Pick<Api.ClaimView, "pressed_ms_before_end" | "round">} claim
 * @param {"claim_moment" | "claim_moment_exact"} key
 */
export function momentText({ round, pressed_ms_before_end: ms }, key) {
  return word(key, { round, seconds: ms / 1_000 });
}
