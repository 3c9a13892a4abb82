// The pause: unmistakable, why, exactly how much time is left, and who claims what.

import { make, part, setText, show, symbol } from "../dom.js";
import { remainingMs, timerMs, clockText } from "../reading.js";
import { NOBODY, actingSeat } from "../seats.js";
import { boardText, momentText, reasonTexts } from "../texts.js";
import { numberText, word } from "../words.js";
import { recordText } from "./proof.js";
import { seatBox, seatFrom, signAndName } from "./seat.js";

const PART = ".284".length; // of an exact time, set smaller
const MOST_CLAIMS = 6; // so many lines fit under the pause sign; open ones come first when there are more

/**
 * Chips that say what stands still: round, side, number.
 * @param {Api.Picture} picture
 */
export function whereChips(picture) {
  const seat = actingSeat(picture);
  const chips = [make("span", "chip", word(picture.phase === "robber" ? "after_round" : "round", { round: picture.round }))];
  if (picture.phase === "robber") {
    chips.push(seatBox("span", "chip", NOBODY, [symbol("robber"), make("span", "", word("robber"))]));
    const desert = picture.robber_target === "desert";
    chips.push(seatBox("span", "chip", NOBODY, desert ? [symbol("desert"), make("span", "", word("desert"))] : String(picture.robber_target)));
  } else if (seat !== null) {
    chips.push(seatBox("span", "chip", seat, signAndName(seat)));
    if (picture.sum !== null) chips.push(make("span", "chip token-chip", String(picture.sum)));
  }
  return chips;
}

/**
 * One claim as a line: place in the order, board and side, moment, standing.
 * @param {Api.Picture} picture
 * @param {Api.ClaimView} claim
 * @param {number} place
 */
function claimLine(picture, claim, place) {
  const seat = seatFrom(picture, claim);
  const points = claim.points === null ? "" : ` · ${word("points", { count: claim.points })}`;
  return make("li", `claim ${claim.status}`, [
    make("span", "claim-place", `${place}.`),
    make("span", "claim-who", [boardText(claim), ...(seat === null ? [] : signAndName(seat))]),
    make("span", "claim-moment", momentText(claim, "claim_moment")),
    make("span", "claim-status", word(`claim_${claim.status}`) + points),
  ]);
}

/** @param {Api.Picture} picture */
function claimLines(picture) {
  const lines = picture.claims.map((claim, index) => ({ claim, line: claimLine(picture, claim, index + 1) }));
  const open = lines.filter(({ claim }) => claim.status === "open");
  const rest = lines.filter(({ claim }) => claim.status !== "open").slice(-Math.max(0, MOST_CLAIMS - open.length));
  const kept = new Set([...open.slice(0, MOST_CLAIMS), ...(open.length < MOST_CLAIMS ? rest : [])]);
  return lines.filter((entry) => kept.has(entry)).map(({ line }) => line);
}

export function pauseScene() {
  return {
    /** @param {Api.Picture} picture */
    take(picture) {
      part("reasons").replaceChildren(...reasonTexts(picture).map((text) => make("li", "", text)));
      part("where").replaceChildren(...whereChips(picture));
      part("claims").replaceChildren(...claimLines(picture));
      show(part("claims-box"), picture.claims.length > 0);
      show(part("hands"), picture.claims.length === 0 && picture.timer === null);
      setText(part("record"), recordText(picture));
    },
    /**
     * @param {Api.Picture} picture
     * @param {number} coreNow
     */
    frame(picture, coreNow) {
      const seconds = numberText(remainingMs(picture, coreNow) / 1_000, ".3f");
      setText(part("exact-whole"), seconds.slice(0, -PART));
      setText(part("exact-part"), seconds.slice(-PART));
      frameTimer("pause", picture, coreNow);
    },
  };
}

/**
 * Fills a place for the free timer, or hides it.
 * @param {"ended" | "pause" | "ready"} prefix
 * @param {Api.Picture} picture
 * @param {number} coreNow
 */
export function frameTimer(prefix, picture, coreNow) {
  const left = timerMs(picture, coreNow);
  show(part(`${prefix}-timer`), left !== null);
  if (left === null) return;
  setText(part(`${prefix}-timer-label`), picture.timer?.label ?? "");
  setText(part(`${prefix}-timer-digits`), clockText(left));
}
