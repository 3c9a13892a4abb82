// The pause: unmistakable, why, exactly how much time is left, and who claims what.

import { make, part, setText, show, symbol } from "../dom.js";
import { colourOf, exactText, reasonKeys, remainingMs, timerMs, clockText } from "../reading.js";
import { hasWord, word } from "../words.js";
import { sideName } from "./play.js";
import { recordText } from "./proof.js";

const MOST_CLAIMS = 6; // so many lines fit under the pause sign; open ones come first when there are more

/** @param {Api.Picture} picture */
function reasonTexts(picture) {
  return reasonKeys(picture).map((key, at) => (hasWord(key) ? word(key) : picture.pause_reasons[at]));
}

/**
 * Chips that say what stands still: round, side, number.
 * @param {Api.Picture} picture
 */
export function whereChips(picture) {
  const chips = [make("span", "chip", word(picture.phase === "robber" ? "afterRound" : "round", { n: picture.round }))];
  if (picture.phase === "robber") {
    chips.push(make("span", "chip neutral", [symbol("robber"), make("span", "", word("robber"))]));
    const desert = picture.robber_target === "desert";
    chips.push(make("span", "chip neutral", desert ? [symbol("desert"), make("span", "", word("desert"))] : String(picture.robber_target)));
  } else if (picture.side !== null) {
    const colour = colourOf(picture.side);
    chips.push(make("span", `chip ${colour}`, [symbol(colour === "neutral" ? "hex" : colour), make("span", "", sideName(picture.side))]));
    if (picture.sum !== null) chips.push(make("span", "chip token-chip", String(picture.sum)));
  }
  return chips;
}

/**
 * One claim as a line: place in the order, board and side, moment, standing.
 * @param {Api.ClaimView} claim
 * @param {number} place
 */
export function claimLine(claim, place) {
  const line = make("li", `claim ${claim.status}`);
  line.append(make("span", "claim-place", `${place}.`));
  const who = make("span", "claim-who", claim.board === null ? word("claimButton") : word("claimBoard", { board: claim.board }));
  if (claim.side !== null) who.append(symbol(colourOf(claim.side) === "neutral" ? "hex" : claim.side), make("span", "", sideName(claim.side)));
  line.append(who);
  const seconds = (claim.pressed_ms_before_end / 1_000).toFixed(1);
  line.append(make("span", "claim-moment", word("claimMoment", { round: claim.round, seconds })));
  const points = claim.points === null ? "" : ` · ${word("claimPoints", { n: claim.points })}`;
  line.append(make("span", "claim-status", word(`claim_${claim.status}`) + points));
  return line;
}

/** @param {Api.ClaimView[]} claims */
function claimLines(claims) {
  const lines = claims.map((claim, index) => ({ claim, line: claimLine(claim, index + 1) }));
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
      part("claims").replaceChildren(...claimLines(picture.claims));
      show(part("claims-box"), picture.claims.length > 0);
      show(part("hands"), picture.claims.length === 0 && picture.timer === null);
      setText(part("record"), recordText(picture));
    },
    /**
     * @param {Api.Picture} picture
     * @param {number} coreNow
     */
    frame(picture, coreNow) {
      const [whole, fraction] = exactText(remainingMs(picture, coreNow));
      setText(part("exact-whole"), whole);
      setText(part("exact-part"), fraction);
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
