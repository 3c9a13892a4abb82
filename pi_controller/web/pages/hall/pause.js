// The pause: unmistakable, why, exactly how much time is left, and who claims what.

import { make, part, setData, setText, show, symbol } from "../dom.js";
import { clockMs, timerMs, clockText } from "../reading.js";
import { momentText } from "../screen_texts.js";
import { NOBODY, namedSeat, seatFrom } from "../seats.js";
import { boardText, phaseText, reasonTexts, timerText } from "../texts.js";
import { numberText, word } from "../words.js";
import { recordText } from "./proof.js";
import { seatBox, signAndName } from "./seat.js";

const LONG_NAME = 12; // stands alone, without the word for a board
const SIGN_LETTERS = 3; // a sign and its gaps are as wide
const PART = ".284".length; // of an exact time, set smaller
const MOST_OPEN = 3; // so many fit in letters that are read from the back row
const MOST_SETTLED = [5, 2, 0, 0]; // by the number of open ones

/**
 * Chips that say what stands still: round, side, number.
 * @param {Api.Picture} picture
 */
export function whereChips(picture) {
  const seat = namedSeat(picture, "pause");
  const chips = [make("span", "chip", phaseText(picture)), ...(seat === null ? [] : [seatBox("span", "chip", seat, signAndName(seat))])];
  if (picture.phase === "robber") {
    const desert = picture.robber_target === "desert";
    chips.push(seatBox("span", "chip", NOBODY, desert ? [symbol("desert"), make("span", "", word("desert"))] : String(picture.robber_target)));
  } else if (picture.sum !== null) {
    chips.push(make("span", "chip token-chip", String(picture.sum)));
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
  const who = claim.board !== null && claim.board.length > LONG_NAME ? claim.board : boardText(claim, picture);
  const line = make("li", `claim ${claim.status}`, [
    make("span", "claim-place", `${place}.`),
    make("span", "claim-who", [who, ...(seat === null ? [] : signAndName(seat))]),
    make("span", "claim-moment", momentText(claim, "claim_moment", picture)),
    make("span", "claim-status", word(`claim_${claim.status}`) + points),
  ]);
  line.style.setProperty("--letters", String(who.length + (seat === null ? 0 : seat.name.length + SIGN_LETTERS)));
  return line;
}

/**
 * Those of this pause: what waits for a verdict, and what was claimed in this round. Older ones do not come back.
 * @param {Api.Picture} picture
 */
function claimsNow({ claims, round }) {
  const placed = claims.map((claim, index) => ({ claim, place: index + 1 }));
  return placed.filter(({ claim }) => (claim.status === "open" ? !claim.passed : claim.round === round));
}

/**
 * The first open claims, the newest settled ones below them, and how many more there are.
 * @param {Api.Picture} picture
 */
function claimLines(picture) {
  const lines = claimsNow(picture).map(({ claim, place }) => ({ claim, line: claimLine(picture, claim, place) }));
  const open = lines.filter(({ claim }) => claim.status === "open").slice(0, MOST_OPEN);
  const room = MOST_SETTLED[open.length] ?? 0;
  const settled = lines.filter(({ claim }) => claim.status !== "open").slice(room === 0 ? lines.length : -room);
  const shown = [...open, ...settled];
  return { open: open.length, lines: shown.map(({ line }) => line), more: lines.length - shown.length };
}

export function pauseScene() {
  return {
    /** @param {Api.Picture} picture */
    take(picture) {
      part("reasons").replaceChildren(...reasonTexts(picture).map((text) => make("li", "", text)));
      part("where").replaceChildren(...whereChips(picture));
      const { open, lines, more } = claimLines(picture);
      part("claims").replaceChildren(...lines);
      setData(part("claims"), "open", String(open));
      setText(part("claims-more"), more > 0 ? `+${more}` : "");
      part("pause").classList.toggle("with-claims", lines.length > 0);
      show(part("claims-box"), lines.length > 0);
      show(part("hands"), lines.length === 0 && picture.timer === null);
      setText(part("exact-label"), word(picture.turn?.timed === false ? "turn_elapsed" : "time_left"));
      setText(part("record"), recordText(picture));
    },
    /**
     * @param {Api.Picture} picture
     * @param {number} coreNow
     */
    frame(picture, coreNow) {
      const seconds = numberText(clockMs(picture, coreNow) / 1_000, ".3f");
      setText(part("exact-whole"), seconds.slice(0, -PART));
      setText(part("exact-part"), seconds.slice(-PART));
      frameTimer("pause", picture, coreNow);
    },
  };
}

/**
 * Fills a place for the free timer, or hides it.
 * @param {"collecting" | "ended" | "pause" | "ready"} prefix
 * @param {Api.Picture} picture
 * @param {number} coreNow
 */
export function frameTimer(prefix, picture, coreNow) {
  const left = timerMs(picture, coreNow);
  show(part(`${prefix}-timer`), left !== null);
  if (left === null) return;
  setText(part(`${prefix}-timer-label`), picture.timer === null ? "" : timerText(picture.timer));
  setText(part(`${prefix}-timer-digits`), clockText(left));
}
