// What the hall screen and the staff's pages say and phones do not: those load texts.js alone. Pure: no DOM.

import { inTurns, linkNews } from "./reading.js";
import { phaseText } from "./texts.js";
import { word } from "./words.js";

/** @import { Scene } from "./reading.js" */

/**
 * Which hall leads where this one shall and does not; "" where that is not known, or another one has the same name.
 * @param {Api.LinkView} link
 */
export function leaderText({ hall, leader, state }) {
  if (leader === null || leader === hall) return "";
  return word(state === "divided" ? "link_leads_too" : "link_leads_other", { hall: leader });
}

/**
 * Whether what is shown is not what is played: old for want of news, or the game of one that does not lead, while it stands still.
 * @param {Pick<Api.Picture, "as_of_ms" | "link" | "resume_in_ms" | "running">} picture
 */
export function isOld(picture) {
  if (picture.link === null) return false;
  return picture.link.lost_ms !== null || (linkNews(picture, 0) === "refused" && !picture.running && picture.resume_in_ms === null);
}

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
