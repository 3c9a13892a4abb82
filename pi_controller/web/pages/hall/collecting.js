// After the last round: sheets are collected, and the ranking stands as far as they have been checked. No clock runs.

import { make, part, setText, show, symbol } from "../dom.js";
import { NOBODY, seatFrom } from "../seats.js";
import { boardText } from "../texts.js";
import { word } from "../words.js";
import { frameTimer } from "./pause.js";
import { recordText } from "./proof.js";
import { seatBox } from "./seat.js";

const MOST_PLACES = 5;

/**
 * @param {Api.Picture} picture
 * @param {Api.RankedView} ranked
 */
function line(picture, ranked) {
  const seat = seatFrom(picture, ranked);
  return seatBox("li", "ranked", seat ?? NOBODY, [
    make("span", "ranked-place", `${ranked.place}.`),
    make("span", "ranked-who", [...(seat === null ? [] : [symbol(seat.sign)]), make("b", "", boardText(ranked, picture)), make("span", "", seat?.name ?? "")]),
    make("b", "ranked-points", ranked.points === null ? "" : word("points", { count: ranked.points })),
    make("span", "ranked-by", picture.ranking.length > 1 ? word(`rank_${ranked.decided_by}`) : ""),
  ]);
}

export function collectingScene() {
  return {
    /** @param {Api.Picture} picture */
    take(picture) {
      const lines = picture.ranking.slice(0, MOST_PLACES).map((ranked) => line(picture, ranked));
      part("ranking").replaceChildren(...lines);
      show(part("ranking-empty"), lines.length === 0);
      const more = picture.ranking.length - lines.length;
      setText(part("ranking-more"), more > 0 ? word("ranking_more", { count: more }) : "");
      setText(part("collecting-record"), recordText(picture));
    },
    /**
     * @param {Api.Picture} picture
     * @param {number} coreNow
     */
    frame(picture, coreNow) {
      frameTimer("collecting", picture, coreNow);
    },
  };
}
