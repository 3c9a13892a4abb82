// The way to the page that checks the dice, when a game has ended: a code for phones; who reads this on a phone taps it.

import { part, show } from "../dom.js";

/** The code of the newest game that has ended; each game has its own. */
export function diceCheck() {
  let shown = "";
  return {
    /** @param {Api.Picture} picture */
    take({ phase, game_id: game, commitment }) {
      show(part("check"), phase === "ended");
      if (phase !== "ended" || game === shown) return;
      shown = game;
      part("check").href = `/verify.html?game=${encodeURIComponent(game)}#${commitment}`;
      part("check-code").src = `/verify.svg?game=${encodeURIComponent(game)}`;
    },
  };
}
