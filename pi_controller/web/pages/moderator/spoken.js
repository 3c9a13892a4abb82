// What the moderator says to the hall: now, and when this phase is over. The words are those of the call-outs, of the hall screen
// and of the paper to go on by hand with, where they say the same. Pure: no DOM.

import { isWaiting, roundsLeft, sceneOf } from "../lib/reading.js";
import { actingSeat, nameOf } from "../lib/seats.js";
import { boardText, decidedText, reasonTexts, sevenTexts, turnText } from "../lib/texts.js";
import { told, word } from "../lib/words.js";

/**
 * @import { Parameter } from "../lib/filling.js"
 * @import { Scene } from "../lib/reading.js"
 */

/** @typedef {{ lead: string, lines: string[] }} Speech one sentence to be read first, and what else is to be said */

const FIRST_ROUNDS = 2; // each side's first: then everybody knows what a round is
const MOST_CLAIMS = 2;
const NOTHING = { lead: "", lines: [] };

/**
 * As the voice of the hall says it.
 * @param {string} key
 * @param {Record<string, Parameter>} params
 */
const called = (key, params = {}) => told("", { key, params });

/** @param {Api.Picture} picture */
const openClaims = ({ claims }) => claims.filter(isWaiting);

/** @param {Api.Picture} picture */
const leftText = ({ remaining_ms: ms }) => ({ seconds: ms / 1_000 });

/**
 * @param {Api.Picture} picture
 * @param {"speak_claim_checked" | "speak_claim_running"} key
 */
function claimTexts(picture, key) {
  const named = openClaims(picture).slice(0, MOST_CLAIMS);
  const texts = named.map(({ board, side }) => (board === null || side === null ? called("voice.claim") : word(key, { board, side: nameOf(picture, side) })));
  return [...new Set(texts)];
}

/** @param {Api.Picture} picture */
function lastRounds(picture) {
  const left = roundsLeft(picture);
  if (left === null) return [];
  return [left === 0 ? called("voice.last_round") : called("voice.last_rounds", { count: left })];
}

/**
 * How long a round lasts.
 * @param {Api.Picture} picture
 * @param {number} round
 */
const stepOf = ({ schedule }, round) => schedule.findLast(({ from_round: from }) => from <= round) ?? schedule[0];

/** @param {Api.Picture} picture */
function ready(picture) {
  return {
    lead: word("ready_title"),
    lines: [
      word("prepared_seats"),
      word("speak_seal"),
      word("speak_target", { points: picture.target_points }),
      ...picture.schedule.slice(0, 2).map(({ from_round: round, seconds }) => word("speak_times", { round, seconds })),
    ],
  };
}

/** @param {Api.Picture} picture */
function playing(picture) {
  if (picture.phase === "robber") return robber(picture);
  const { round, dice, sum } = picture;
  const side = actingSeat(picture)?.name ?? "";
  if (dice === null || sum === null) return { lead: turnText(picture), lines: [] };
  return {
    lead: word("speak_round", { round, side, first: dice[0], second: dice[1], sum }),
    lines: [
      ...sevenTexts(picture),
      ...claimTexts(picture, "speak_claim_running"),
      ...(round <= FIRST_ROUNDS && sum !== 7 ? [word("speak_first_rounds", { side, sum })] : []),
      ...(picture.notices.includes("robber_possible") ? [called("voice.robber_possible")] : []),
      ...lastRounds(picture),
    ],
  };
}

/** @param {Api.Picture} picture */
function robber(picture) {
  const { robber_target: target } = picture;
  const desert = target === "desert";
  return {
    lead: word("speak_robber", { seconds: picture.duration_ms / 1_000 }),
    lines: [
      word("robber_help_half"),
      desert ? called("voice.robber_desert") : called("voice.robber_to_hex", { number: Number(target) }),
      word(desert ? "robber_help_desert" : "robber_help_hex"),
      word("robber_help_nobody"),
      ...claimTexts(picture, "speak_claim_running"),
      ...(picture.notices.includes("robber_possible") ? [called("voice.robber_possible")] : []),
    ],
  };
}

/** @param {Api.Picture} picture */
function pausing(picture) {
  const claims = claimTexts(picture, "speak_claim_checked");
  const rejected = claims.length === 0 && picture.pause_reasons.includes("claim") && picture.claims.at(-1)?.status === "rejected";
  const others = picture.pause_reasons.filter((reason) => reason !== "claim" && !(reason === "button" && claims.length > 0));
  return {
    lead: word("speak_pause"),
    lines: [...claims, ...(rejected ? [called("voice.rejected")] : []), ...reasonTexts({ ...picture, pause_reasons: others }), word("speak_kept", leftText(picture))],
  };
}

/** @param {Api.Picture} picture */
function ending(picture) {
  const { winners } = picture;
  const seal = word(picture.closed ? "speak_check" : "speak_keep_seal");
  const rest = [...[decidedText(picture)].filter(Boolean), seal, word("prepared_thanks")];
  const [first] = winners;
  if (first === undefined) return { lead: called("voice.game_over"), lines: [word("no_winner"), ...rest] };
  const seats = winners.map(({ board, side, points }) => ({ board: board ?? "", side: nameOf(picture, side), points }));
  if (seats.length > 1) return { lead: word("shared_victory"), lines: [...seats.map((seat) => word("speak_seat", seat)), ...rest] };
  const { points } = first;
  const lead = first.board === null ? `${called("voice.winner_unknown")} ${nameOf(picture, first.side)}`.trim() : called("voice.winner", { board: first.board, side: nameOf(picture, first.side) });
  return { lead, lines: [...(points === null ? [] : [word("points", { count: points })]), ...rest] };
}

/** @type {Record<Scene, (picture: Api.Picture) => Speech>} */
const NOW = {
  ready,
  play: playing,
  pause: pausing,
  ended: ending,
  countin: (picture) => ({ lead: word(picture.phase === "ready" ? "speak_count_start" : "speak_count_resume"), lines: picture.phase === "ready" ? [] : [word("speak_kept", leftText(picture))] }),
  collecting: () => ({ lead: called("voice.collecting"), lines: [word("prepared_hands"), word("speak_sheets")] }),
};

/**
 * What is to be said now.
 * @param {Api.Picture} picture
 */
export const spokenNow = (picture) => NOW[sceneOf(picture)](picture);

/**
 * The round that comes after this phase.
 * @param {Api.Picture} picture
 */
function nextRound(picture) {
  const round = picture.round + 1;
  const step = stepOf(picture, round);
  if (step === undefined) return [];
  const lot = picture.notices.includes("by_lot") && picture.next_side === null;
  const text = lot ? word("begins_by_lot") : word("speak_next_round", { round, side: nameOf(picture, picture.next_side), seconds: step.seconds });
  const changed = step.from_round === round && round > 1 ? [word("speak_times", { round, seconds: step.seconds })] : [];
  return [text, ...changed];
}

/** @param {Api.Picture} picture */
function afterPlay(picture) {
  const last = roundsLeft(picture) === 0 && picture.phase === "round";
  return { lead: word("speak_stop"), lines: last ? [word("speak_next_sheets")] : nextRound(picture) };
}

/** @param {Api.Picture} picture */
function afterSheets({ ranking, ...picture }) {
  const [best] = ranking;
  if (best === undefined || best.points === null) return { lead: word("speak_next_ranking"), lines: [] };
  return { lead: word("speak_next_ranking"), lines: [word("speak_leads", { board: boardText(best, picture), side: nameOf(picture, best.side), count: best.points })] };
}

/** @type {Record<Scene, (picture: Api.Picture) => Speech>} */
const THEN = {
  ready: (picture) => ({ lead: word("speak_count_start"), lines: nextRound(picture) }),
  play: afterPlay,
  pause: (picture) => ({ lead: word(openClaims(picture).length > 0 ? "speak_next_verdict" : "speak_next_resume", leftText(picture)), lines: [] }),
  ended: () => NOTHING,
  countin: (picture) => (picture.phase === "ready" ? { lead: nextRound(picture)[0] ?? "", lines: [] } : NOTHING),
  collecting: afterSheets,
};

/**
 * What is to be said when this is over.
 * @param {Api.Picture} picture
 */
export const spokenNext = (picture) => THEN[sceneOf(picture)](picture);
