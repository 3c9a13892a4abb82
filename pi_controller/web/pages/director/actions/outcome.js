// What an undo, a redo or a replacement would leave of the game, in one line. Pure: no DOM.

import { seatOf } from "../../seats.js";
import { allTold, word } from "../../words.js";

/**
 * @param {Api.Picture} picture
 * @param {Api.OutcomeView} outcome
 */
export function outcomeText(picture, { phase, round = 0, side = null, paused, remaining_ms: left = 0, open_claims: claims = 0, reasons = [], keys = [] }) {
  if (phase === "unseen") return word("outcome_unseen");
  if (reasons.length > 0) return allTold(reasons, keys).join(" ");
  if (phase === "ready") return word("ready_title");
  if (phase === "ended") return word("ended_title");
  if (phase === "collecting") return word("collecting_title");
  const facts = [word(phase === "robber" ? "after_round" : "round", { round })];
  if (side !== null) facts.push(seatOf(picture, side).name);
  facts.push(word("outcome_left", { seconds: left / 1_000 }), word(paused ? "outcome_paused" : "outcome_running"));
  if (claims > 0) facts.push(word("outcome_claims", { count: claims }));
  return facts.join(" · ");
}
