// Which step decided who has won, and over whom.

import { nameOf } from "./seats.js";
import { boardText } from "./texts.js";
import { word } from "./words.js";

const LEVEL = new Set(["resources", "grain", "ore", "brick", "lumber", "wool"]); // steps that come only among those who are equal before

/**
 * "" where nothing had to decide. Among equals the rivals are named.
 * @param {Api.Picture} picture
 */
export function decidedText(picture) {
  const { decided_by: step, ranking, winners } = picture;
  if (step === null) return "";
  const decided = word(`decided_${step}`);
  const behind = LEVEL.has(step) ? ranking.filter(({ place }) => place === winners.length + 1) : [];
  const rival = behind.map((one) => [boardText(one, picture), nameOf(picture, one.side)].filter(Boolean).join(" · ")).join(", ");
  return rival === "" ? decided : word("ahead_of", { decided, rival });
}
