// What a picture says in words, the same on the hall screen and on the staff's pages. Pure: no DOM.

import { reasonKeys } from "./reading.js";
import { hasWord, word } from "./words.js";

/**
 * Why play is paused; a reason without words as it comes.
 * @param {Api.Picture} picture
 * @returns {string[]}
 */
export function reasonTexts(picture) {
  return reasonKeys(picture).map((key, at) => (hasWord(key) ? word(key) : (picture.pause_reasons[at] ?? key)));
}

/**
 * Whose a claim or a victory is.
 * @param {Pick<Api.ClaimView, "board">} claim
 */
export function boardText({ board }) {
  return board === null ? word("claimButton") : word("claimBoard", { board });
}

/**
 * When a claim was made.
 * @param {Api.ClaimView} claim
 * @param {number} decimals
 */
export function momentText({ round, pressed_ms_before_end: ms }, decimals) {
  return word("claimMoment", { round, seconds: (ms / 1_000).toFixed(decimals) });
}
