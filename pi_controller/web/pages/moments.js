// When a claim was made, in words. Pure: no DOM.

import { inTurns } from "./reading.js";
import { word } from "./words.js";

/**
 * When a claim was made.
 * @param {Pick<Api.ClaimView, "pressed_ms_before_end" | "round">} claim
 * @param {"claim_moment" | "claim_moment_exact"} key
 * @param {Pick<Api.Picture, "rules">} picture
 */
export function momentText({ round, pressed_ms_before_end: ms }, key, picture) {
  if (inTurns(picture)) return word("turn_number", { round });
  return word(key, { round, seconds: ms / 1_000 });
}
