// The foot of the screen: the last rolls (what did I miss?) and, small, the health of the controller.

import { make, part, setText, show, symbol } from "../dom.js";
import { NOBODY } from "../seats.js";
import { told, word } from "../words.js";
import { seatBox, seatFrom } from "./seat.js";

/**
 * One roll of the history as a tile: sign of the seat, then its number; a robber roll shows its target.
 * @param {Api.Picture} picture
 * @param {Api.PastRoll} roll
 */
function rollTile(picture, roll) {
  const robber = roll.kind === "robber";
  const seat = robber ? { ...NOBODY, sign: "robber", name: word("robber") } : seatFrom(picture, roll);
  const result = robber ? roll.robber_target : roll.sum;
  const shown = result === "desert" ? symbol("desert") : make("span", "tile-number", String(result));
  const tile = seatBox("li", "tile", seat ?? NOBODY, [symbol(seat?.sign ?? "hex"), shown]);
  tile.setAttribute("aria-label", [word("round", { round: roll.round }), seat?.name ?? "", result].join(" "));
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
      const tiles = picture.history.map((roll) => rollTile(picture, roll));
      if (isCurrent(picture.history[0], picture)) tiles[0]?.classList.add("current");
      list.replaceChildren(...tiles);
      const { level, messages, items } = picture.health;
      const health = part("health");
      // Warnings are for the crew and stand on the director's page; the hall only sees what stops play.
      show(health, level === "fault");
      health.dataset.level = level;
      if (level !== "fault") return setText(health, "");
      health.replaceChildren(symbol("warning"), make("span", "", told(messages[0] ?? word(`health_${level}`), items[0])));
    },
  };
}
