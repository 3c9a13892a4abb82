// The end: who has won, with how many points, and which step decided.

import { decidedText } from "../decided.js";
import { make, part, setText, show, symbol } from "../dom.js";
import { groupedHex } from "../hex.js";
import { NOBODY, seatFrom } from "../seats.js";
import { winnerTexts, winnersTitle } from "../texts.js";
import { word } from "../words.js";
import { frameTimer } from "./pause.js";
import { SEAL_GROUPS, recordText } from "./proof.js";
import { seatBox } from "./seat.js";

/**
 * @param {Api.Picture} picture
 * @param {Api.WinnerView} winner
 */
function winnerCard(picture, winner) {
  const seat = seatFrom(picture, winner);
  const { who, rest } = winnerTexts(picture, winner);
  return seatBox("li", "winner", seat ?? NOBODY, [
    symbol(seat?.sign ?? "wreath"),
    make("span", "winner-board", who),
    make("span", "winner-points", rest),
  ]);
}

export function endedScene() {
  return {
    /** @param {Api.Picture} picture */
    take(picture) {
      setText(part("winner-title"), winnersTitle(picture));
      part("winners").replaceChildren(...picture.winners.map((winner) => winnerCard(picture, winner)));
      part("winners").dataset.count = ["none", "one", "two"][picture.winners.length] ?? "many";
      setText(part("decided"), decidedText(picture));
      show(part("wreath"), picture.winners.length > 0);
      const seed = picture.seed === null ? "" : `${word("seed_title")} ${groupedHex(picture.seed, SEAL_GROUPS)}`;
      const facts = [recordText(picture), seed].filter(Boolean);
      show(part("opened"), facts.length > 0);
      setText(part("opened"), facts.join("  ·  "));
    },
    /**
     * @param {Api.Picture} picture
     * @param {number} coreNow
     */
    frame(picture, coreNow) {
      frameTimer("ended", picture, coreNow);
    },
  };
}
