// What a room picture says at a moment of core's clock, and figures as people read them. Pure: no DOM, no clock.

// Digits of seals and records, as the hall screen and the director read them. Pure.

/**
 * Hexadecimal text in groups of four that can be read out; the rest is left off after `groups`.
 * @param {string} hex
 */
export function groupedHex(hex, groups = Infinity) {
  const parts = hex.match(/.{1,4}/g) ?? [];
  return parts.slice(0, groups).join(" ") + (parts.length > groups ? " …" : "");
}

// What a room picture says at a moment of core's clock. Pure: no DOM, no clock.

/** @typedef {Pick<Api.Picture, "as_of_ms" | "rate" | "remaining_ms" | "running" | "turn">} Clocked */

/** @typedef {"collecting" | "countin" | "ended" | "pause" | "play" | "ready"} Scene */

/**
 * @param {number} ms
 * @param {Pick<Api.Picture, "as_of_ms" | "rate">} picture
 * @param {number} coreNow
 */
function countedDown(ms, picture, coreNow) {
  return Math.max(0, ms - Math.max(0, coreNow - picture.as_of_ms) * picture.rate);
}

/**
 * Remaining game time of the phase in ms, counted on from the picture's own moment.
 * @param {Pick<Api.Picture, "as_of_ms" | "rate" | "remaining_ms" | "running">} picture
 * @param {number} coreNow
 */
export function remainingMs(picture, coreNow) {
  return picture.running ? countedDown(picture.remaining_ms, picture, coreNow) : picture.remaining_ms;
}

/**
 * Whether seats end their turns themselves, at one table; otherwise the clock ends the rounds of a hall.
 * @param {Pick<Api.Picture, "rules"> | null} picture
 */
export const inTurns = (picture) => picture?.rules.play === "turns";

/**
 * What the clock shows in ms: what is left, or in a turn without a limit what has gone by.
 * @param {Clocked} picture
 * @param {number} coreNow
 */
export function clockMs(picture, coreNow) {
  if (picture.turn?.timed !== false) return remainingMs(picture, coreNow);
  return picture.turn.elapsed_ms + (picture.running ? Math.max(0, coreNow - picture.as_of_ms) * picture.rate : 0);
}

/**
 * The same as text.
 * @param {Clocked} picture
 * @param {number} coreNow
 */
export function digitsText(picture, coreNow) {
  const ms = clockMs(picture, coreNow);
  return picture.turn?.timed === false ? elapsedText(ms) : secondsText(ms);
}

/**
 * What is left of the 3-2-1 in ms; null when there is none.
 * @param {Pick<Api.Picture, "as_of_ms" | "rate" | "resume_in_ms">} picture
 * @param {number} coreNow
 */
export function resumeInMs(picture, coreNow) {
  return picture.resume_in_ms === null ? null : countedDown(picture.resume_in_ms, picture, coreNow);
}

/**
 * The digit of the 3-2-1.
 * @param {Pick<Api.Picture, "as_of_ms" | "rate" | "resume_in_ms">} picture
 * @param {number} coreNow
 */
export function countInText(picture, coreNow) {
  return String(Math.max(1, Math.ceil((resumeInMs(picture, coreNow) ?? 0) / 1_000)));
}

/**
 * What is left of the free timer in ms; null when there is none.
 * @param {Pick<Api.Picture, "as_of_ms" | "rate" | "timer">} picture
 * @param {number} coreNow
 */
export function timerMs(picture, coreNow) {
  const timer = picture.timer;
  if (timer === null) return null;
  return timer.running ? countedDown(timer.remaining_ms, picture, coreNow) : timer.remaining_ms;
}

/**
 * The director's line, or null when there is none or its time is over.
 * @param {Pick<Api.Picture, "message">} picture
 * @param {number} coreNow
 */
export function messageOf(picture, coreNow) {
  const message = picture.message;
  if (message === null || message.text === "") return null;
  return message.until_ms === null || coreNow < message.until_ms ? message : null;
}

/** @typedef {Pick<Api.LinkView, "frozen" | "heard_ms" | "lost_ms" | "role" | "state" | "stopped">} Linked */

const ANSWER_MS = 400; // the leading hall answers a press within some 10 ms: a banner would only flash

/**
 * What people must know of the link to the leading hall: `none` was ever heard, `lost`, `stopped` here, `refused` or not alone in leading; "" where all is well.
 * @param {{ as_of_ms: number, link: Linked | null }} picture
 * @param {number} coreNow
 */
export function linkNews({ as_of_ms: seenAt, link }, coreNow) {
  if (link === null) return "";
  if (link.role === "leader") return ["divided", "refused"].includes(link.state) ? "refused" : "";
  if (link.heard_ms === null) return "none";
  if (link.lost_ms !== null) return link.stopped ? "stopped" : "lost";
  return link.stopped && coreNow - seenAt > ANSWER_MS ? "stopped" : "";
}

/**
 * Which of the hall's pictures this is. Time that stands still for want of news alone is no pause.
 * @param {Pick<Api.Picture, "paused" | "phase" | "resume_in_ms"> & { link: Pick<Linked, "frozen" | "stopped"> | null }} picture
 * @returns {Scene}
 */
export function sceneOf(picture) {
  if (picture.phase === "ended" || picture.phase === "collecting") return picture.phase;
  if (picture.resume_in_ms !== null) return "countin";
  if (picture.paused && (!picture.link?.frozen || picture.link.stopped)) return "pause";
  return picture.phase === "ready" ? "ready" : "play";
}

/**
 * Whether a claim holds the game up: an open one that play has not gone on over.
 * @param {Pick<Api.ClaimView, "passed" | "status">} claim
 */
export const isWaiting = ({ passed, status }) => status === "open" && !passed;

/**
 * Rounds that are still to come after the present one; null when no end is announced.
 * @param {Pick<Api.Picture, "last_round" | "round">} picture
 */
export function roundsLeft(picture) {
  return picture.last_round === null ? null : Math.max(0, picture.last_round - picture.round);
}

/**
 * Countdown text: whole seconds, the present one counted; minutes from 100 s on.
 * @param {number} ms
 */
export function secondsText(ms) {
  return ms > 99_000 ? clockText(ms) : String(Math.ceil(ms / 1_000));
}

/**
 * m:ss or h:mm:ss of a longer time.
 * @param {number} ms
 */
export function clockText(ms) {
  const total = Math.ceil(ms / 1_000);
  /** @param {number} number */
  const two = (number) => String(number).padStart(2, "0");
  const [hours, minutes, seconds] = [Math.floor(total / 3_600), Math.floor(total / 60) % 60, total % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`;
}

/**
 * The same of a time that has gone by: only whole seconds count.
 * @param {number} ms
 */
export const elapsedText = (ms) => clockText(Math.floor(ms / 1_000) * 1_000);

/**
 * Why play is paused, as the keys of its words; after a restart they tell whether something was lost, and whether the
 * controller only stood still.
 * @param {Pick<Api.Picture, "pause_reasons"> & { health: { lost: boolean, items?: { key: string }[] } }} picture
 */
export function reasonKeys(picture) {
  const { lost, items = [] } = picture.health;
  const stoodStill = items.some(({ key }) => key === "health.stood_still_paused");
  const recovery = lost ? "reason_recovery_lost" : stoodStill ? "reason_recovery_still" : "reason_recovery";
  return picture.pause_reasons.map((reason) => (reason === "recovery" ? recovery : `reason_${reason}`));
}
