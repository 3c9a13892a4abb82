// The end: who has won, with how many points, and which step decided.

import { make, part, setText, show, symbol } from "../dom.js";
import { colourOf, groupedHex } from "../reading.js";
import { word } from "../words.js";
import { frameTimer } from "./pause.js";
import { sideName } from "./play.js";
import { SEAL_GROUPS, recordText } from "./proof.js";

/** @param {Api.WinnerView} winner */
function winnerCard(winner) {
  const colour = winner.side === null ? "neutral" : colourOf(winner.side);
  const card = make("li", `winner ${colour}`);
  card.append(symbol(colour === "neutral" ? "wreath" : colour));
  const name = winner.board === null ? word("claimButton") : word("claimBoard", { board: winner.board });
  card.append(make("span", "winner-board", name));
  const side = winner.side === null ? "" : sideName(winner.side);
  const points = winner.points === null ? "" : word("claimPoints", { n: winner.points });
  card.append(make("span", "winner-points", [side, points].filter(Boolean).join(" · ")));
  return card;
}

/** @param {Api.WinnerView[]} winners */
function titleOf(winners) {
  if (winners.length === 0) return word("noWinner");
  return word(winners.length === 1 ? "winner" : "sharedVictory");
}

export function endedScene() {
  return {
    /** @param {Api.Picture} picture */
    take(picture) {
      setText(part("winner-title"), titleOf(picture.winners));
      part("winners").replaceChildren(...picture.winners.map(winnerCard));
      part("winners").dataset.count = ["none", "one", "two"][picture.winners.length] ?? "many";
      setText(part("decided"), picture.decided_by === null ? "" : word(`decided_${picture.decided_by}`));
      show(part("wreath"), picture.winners.length > 0);
      const seed = picture.seed === null ? "" : `${word("seedTitle")} ${groupedHex(picture.seed, SEAL_GROUPS)}`;
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
