// What a picture says in words, the same on all pages. Pure: no DOM.

import { wallOf } from "./clock.js";
import { inTurns, linkNews, reasonKeys, roundsLeft } from "./reading.js";
import { dueSeat, nameOf } from "./seats.js";
import { hasWord, timeText, told, word } from "./words.js";

/** @import { Linked, Scene } from "./reading.js" */

// What a picture says in words, the same on the hall screen, phones and the staff's pages. Pure: no DOM.

/** What covers a page that has no news, as title and help. */
export const COVERS = /** @type {const} */ ({
  lost: ["lost_title", "lost_help"],
  version: ["version_title", "version_help"],
  waiting: ["waiting_title", "waiting_help"],
});

/**
 * Title and help of the cover; `why` is the sentence of a controller that does not start.
 * @param {import("./feed.js").FeedState} state
 * @param {string} why
 */
export function coverTexts(state, why) {
  const [title, help] = COVERS[state === "fresh" ? "waiting" : state];
  return why === "" ? [word(title), word(help)] : [word("not_started_title"), why];
}

/**
 * The news of the link.
 * @param {{ as_of_ms: number, link: Linked | null }} picture
 * @param {number} coreNow
 */
export function linkTexts(picture, coreNow) {
  const news = linkNews(picture, coreNow);
  const lost = picture.link?.lost_ms ?? null;
  const old = lost === null ? [] : [word("link_lost"), word("link_as_of", { time: timeText(wallOf(lost, coreNow)) })];
  if (news === "stopped") return [word("link_stopped"), ...(lost === null ? [word("link_not_answered")] : old)];
  if (news === "none") return [word("link_none"), word("link_none_help")];
  return news === "refused" ? [word("link_leads_not")] : old;
}

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
 * What stands over the winners.
 * @param {Pick<Api.Picture, "winners">} picture
 */
export const winnersTitle = ({ winners }) => word(winners.length === 0 ? "no_winner" : winners.length === 1 ? "winner" : "shared_victory");

/**
 * Who has won, or leads, in large letters, and what else there is to say of it.
 * @param {Pick<Api.Picture, "rules" | "seats">} picture
 * @param {Pick<Api.WinnerView, "board" | "points" | "side">} winner
 */
export function winnerTexts(picture, winner) {
  const { points, side } = winner;
  const [who = "", ...rest] = [boardText(winner, picture), nameOf(picture, side), points === null ? "" : word("points", { count: points })].filter(Boolean);
  return { who, rest: rest.join(" · ") };
}

/**
 * `Claim: board A7, Sun side`, or a seat at the one table.
 * @param {Pick<Api.Picture, "rules" | "seats">} picture
 * @param {Pick<Api.ClaimView, "board" | "side">} claim
 */
export function claimText(picture, { board, side }) {
  const name = nameOf(picture, side);
  if (inTurns(picture)) return word("turn_claims", { side: name });
  const claim = board === null ? word("claim_queue_button") : word("claim_queue", { board });
  return side === null ? claim : word("claim_queue_of_side", { claim, side: name });
}

/**
 * Notices that stand on the screens, the announced end first.
 * @param {Pick<Api.Picture, "last_round" | "notices" | "phase" | "round">} picture
 */
export function noticeTexts(picture) {
  const left = roundsLeft(picture);
  const end = left === null || picture.phase === "ended" ? [] : [{ kind: "last", text: left === 0 ? word("last_round") : word("rounds_to_come", { count: left }) }];
  const robber = picture.notices.includes("robber_possible") ? [{ kind: "robber", text: word("robber_possible") }] : [];
  return [...end, ...robber];
}

/**
 * Which round it is, or which turn.
 * @param {Pick<Api.Picture, "phase" | "round" | "rules" | "seats" | "turn">} picture
 */
export function phaseText({ phase, round, rules, seats, turn }) {
  if (phase === "founding") return word("turn_founding", { count: (turn?.placed ?? 0) + 1, all: 2 * seats.length });
  return word(inTurns({ rules }) ? "turn_number" : phase === "robber" ? "after_round" : "round", { round });
}

/**
 * Who begins, for before the start: a seat, or the lot, which falls at the start; "" where nobody is to.
 * @param {Pick<Api.Picture, "next_seat" | "notices" | "seat" | "seats">} picture
 */
export function beginsText(picture) {
  const [first, byLot] = [dueSeat(picture), picture.notices.includes("by_lot")];
  if (first === null) return byLot ? word("begins_by_lot") : "";
  return word(byLot ? "lot_begins" : "begins", { side: first.name });
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
 * What a 7 means, in a robber phase or in a turn; nothing after another roll.
 * @param {Pick<Api.Picture, "next_seat" | "phase" | "robber_target" | "seat" | "seats" | "sum" | "turn">} picture
 */
export function sevenTexts(picture) {
  if (picture.phase === "robber") return [word("robber_help_half"), word(picture.robber_target === "desert" ? "robber_help_desert" : "robber_help_hex")];
  if (picture.turn === null || picture.sum !== 7) return [];
  return [word("turn_help_half"), word("turn_help_robber", { side: dueSeat(picture)?.name ?? "" })];
}

// What the hall screen and the staff's pages say and phones do not: those load texts.js alone. Pure: no DOM.

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

// Which step decided who has won, and over whom.

/**
 * "" where nothing had to decide. Whoever comes next in the ranking is named.
 * @param {Api.Picture} picture
 */
export function decidedText(picture) {
  const { decided_by: step, ranking, winners } = picture;
  if (step === null) return "";
  const decided = word(`decided_${step}`);
  const behind = ranking.filter(({ place }) => place === winners.length + 1);
  const rival = behind.map((one) => [boardText(one, picture), nameOf(picture, one.side)].filter(Boolean).join(" · ")).join(", ");
  return rival === "" ? decided : word("ahead_of", { decided, rival });
}

// The first thing that is wrong with the controller, without what is said of its link to other halls.

const OF_LINK = ["link.another_leads", "link.divided", "link.does_not_lead_now", "link.lost", "link.may_not_lead", "link.no_leader_yet", "link.same_name"];

/**
 * Level and sentence; "" where nothing else is wrong.
 * @param {Api.HealthView} health
 */
export function firstTrouble({ level, messages, items }) {
  const [text, item] = messages.map((message, place) => /** @type {const} */ ([message, items[place]])).find(([, one]) => !OF_LINK.includes(one?.key ?? "")) ?? [];
  if (text !== undefined) return { level: item?.level ?? level, text: told(text, item) };
  return level === "ok" || messages.length > 0 ? { level: /** @type {const} */ ("ok"), text: "" } : { level, text: word(`health_${level}`) };
}
