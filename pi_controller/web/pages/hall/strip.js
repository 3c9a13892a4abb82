// The foot of the screen: the last rolls (what did I miss?) and, small, the health of the controller.

import { make, part, setData, setText, show, symbol } from "../dom.js";
import { firstTrouble } from "../health.js";
import { NOBODY, seatFrom } from "../seats.js";
import { phaseText } from "../texts.js";
import { spokenLanguage, word } from "../words.js";
import { seatBox } from "./seat.js";

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
  tile.setAttribute("aria-label", [phaseText({ ...picture, phase: "round", round: roll.round }), seat?.name ?? "", result].join(" "));
  return tile;
}

/**
 * @param {Api.PastRoll | undefined} roll
 * @param {Api.Picture} picture
 */
function isCurrent(roll, picture) {
  return roll !== undefined && !picture.paused && picture.phase === roll.kind && picture.round === roll.round;
}

/**
 * Shows these in this order. Those that stay are not touched: a new roll moves the others on, and nothing of them is drawn anew.
 * @param {Element} list
 * @param {Element[]} items
 */
function showItems(list, items) {
  for (const child of [...list.children]) if (!items.includes(child)) child.remove();
  items.forEach((item, at) => {
    const there = list.children[at] ?? null;
    if (there !== item) list.insertBefore(item, there);
  });
}

export function strip() {
  /** @type {Map<string, HTMLElement>} */
  let tiles = new Map();
  let shownRolls = "";

  /** @param {Api.Picture} picture */
  function showHistory(picture) {
    const said = JSON.stringify([picture.history, picture.seats, spokenLanguage()]);
    if (said !== shownRolls) showTiles(picture);
    shownRolls = said;
    const current = isCurrent(picture.history[0], picture);
    for (const [at, tile] of [...tiles.values()].entries()) tile.classList.toggle("current", at === 0 && current);
  }

  /** @param {Api.Picture} picture */
  function showTiles(picture) {
    const texts = picture.history.map((roll) => JSON.stringify([roll, picture.seats, spokenLanguage()]));
    const shown = picture.history.map((roll, at) => {
      const key = `${texts.lastIndexOf(texts[at] ?? "") - at} ${texts[at]}`; // two sevens in a row may be the same
      return /** @type {const} */ ([key, tiles.get(key) ?? rollTile(picture, roll)]);
    });
    tiles = new Map(shown);
    showItems(part("history"), [...tiles.values()]);
  }

  return {
    /** @param {Api.Picture} picture */
    take(picture) {
      showHistory(picture);
      const { level, text } = firstTrouble(picture.health);
      const health = part("health");
      // Warnings are for the crew and stand on the director's page; the hall only sees what stops play.
      show(health, level === "fault");
      setData(health, "level", level);
      setData(document.body, "health", level);
      if (level !== "fault") return setText(health, "");
      health.style.setProperty("--letters", String(text.length));
      health.replaceChildren(symbol("warning"), make("span", "", text));
    },
  };
}
