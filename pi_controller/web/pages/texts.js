// What a picture says in words, the same on the hall screen and on the staff's pages. Pure: no DOM.

import { inTurns, reasonKeys } from "./reading.js";
import { dueSeat } from "./seats.js";
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
 * Where a claim or a victory comes from; "" at the one table, where the seat says all.
 * @param {Pick<Api.ClaimView, "board">} claim
 * @param {Pick<Api.Picture, "rules">} picture
 */
export function boardText({ board }, picture) {
  if (inTurns(picture)) return "";
  return board === null ? word("claim_button") : word("claim_board", { board });
}

/**
 * Which round it is, or which turn.
 * @param {Pick<Api.Picture, "phase" | "round" | "rules" | "seats" | "turn">} picture
 */
export function phaseText({ phase, round, rules, seats, turn }) {
  if (phase === "founding") return word("turn_founding", { count: (turn?.placed ?? 0) + 1, all: 2 * seats.length });
  if (rules.play === "turns") return word("turn_number", { round });
  return word(phase === "robber" ? "after_round" : "round", { round });
}

/**
 * What is to be done before the dice, or by all others; "" where nothing is.
 * @param {Pick<Api.Picture, "next_seat" | "phase" | "seat" | "seats" | "turn">} picture
 */
export function turnText(picture) {
  const side = dueSeat(picture)?.name ?? "";
  if (picture.phase === "founding") return word("turn_places", { side });
  if (picture.turn?.building) return word("turn_building");
  return picture.turn?.to_roll ? word("turn_rolls", { side }) : "";
}

/**
 * What a 7 means in a turn.
 * @param {Pick<Api.Picture, "next_seat" | "seat" | "seats" | "sum" | "turn">} picture
 */
export function sevenTexts(picture) {
  if (picture.turn === null || picture.sum !== 7) return [];
  return [word("turn_help_half"), word("turn_help_robber", { side: dueSeat(picture)?.name ?? "" })];
}
