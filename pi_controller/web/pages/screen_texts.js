// What the hall screen and the staff's pages say and phones do not: those load texts.js alone. Pure: no DOM.

import { inTurns } from "./reading.js";
import { phaseText } from "./texts.js";
import { word } from "./words.js";

/** @import { Scene } from "./reading.js" */

/**
 * What stands above the digits of the seal: which one of the evening it is, where it is known.
 * @param {Api.Picture} picture
 */
export function sealTitle({ seal }) {
  return seal === null ? word("seal_title") : word("seal_number", { number: seal.number });
}

/**
 * What a scene is headed with.
 * @param {Api.Picture} picture
 * @param {Scene} scene
 */
export function sceneTitle(picture, scene) {
  if (scene === "ready") return word("ready_title");
  if (scene === "ended") return word("ended_title");
  if (scene === "collecting") return word("collecting_title");
  if (scene === "countin") return word(picture.phase === "ready" ? "starts_in" : "goes_on");
  return scene === "pause" ? `${word("paused")} · ${phaseText(picture)}` : phaseText(picture);
}

/**
 * When a claim was made.
 * @param {Pick<Api.ClaimView, "pressed_ms_before_end" | "round">} claim
 * @param {"claim_moment" | "claim_moment_exact"} key
 * @param {Pick<Api.Picture, "rules">} picture
 */
export const momentText = ({ round, pressed_ms_before_end: ms }, key, picture) =>
  inTurns(picture) ? word("turn_number", { round }) : word(key, { round, seconds: ms / 1_000 });
