// The foot of the screen: the last rolls (what did I miss?) and, small, the health of the controller.

import { make, part, setText, show, symbol } from "../dom.js";
import { colourOf } from "../reading.js";
import { hasWord, word } from "../words.js";

/**
 * One roll of the history as a tile: symbol of the side, then its number; a robber roll shows its target.
 * @param {Api.PastRoll} roll
 */
export function rollTile(roll) {
  const robber = roll.kind === "robber";
  const tile = make("li", `tile ${robber ? "neutral" : colourOf(roll.side)}`);
  const name = robber ? "robber" : (roll.side ?? "");
  tile.append(symbol(["sun", "moon", "robber"].includes(name) ? name : "hex"));
  if (roll.robber_target === "desert") tile.append(symbol("desert"));
  else tile.append(make("span", "tile-number", String(robber ? roll.robber_target : roll.sum)));
  const spoken = [word("round", { n: roll.round }), hasWord(name) ? word(name) : name, robber ? roll.robber_target : roll.sum];
  tile.setAttribute("aria-label", spoken.join(" "));
  return tile;
}

/**
 * @param {Api.PastRoll | undefined} roll
 * @param {Api.Picture} picture
 */
function isCurrent(roll, picture) {
  return roll !== undefined && !picture.paused && picture.phase === roll.kind && picture.round === roll.round;
}

export function strip() {
  return {
    /** @param {Api.Picture} picture */
    take(picture) {
      const list = part("history");
      const tiles = picture.history.map(rollTile);
      if (isCurrent(picture.history[0], picture)) tiles[0]?.classList.add("current");
      list.replaceChildren(...tiles);
      const { level, messages } = picture.health;
      const health = part("health");
      // Warnings are for the crew and stand on the director's page; the hall only sees what stops play.
      show(health, level === "fault");
      health.dataset.level = level;
      if (level !== "fault") return setText(health, "");
      health.replaceChildren(symbol("warning"), make("span", "", messages[0] ?? word(`health_${level}`)));
    },
  };
}
