// A seat as the hall screen shows it: a box in its colour, with its sign and a text.

import { make, symbol } from "../dom.js";
import { word } from "../words.js";

/** @import { Seat } from "../seats.js" */

/**
 * Sign and name of a seat.
 * @param {Seat} seat
 */
export function signAndName({ sign, name }) {
  return [symbol(sign), make("span", "", name)];
}

/**
 * A box in the colour of a seat, or of nobody.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {string} look
 * @param {Pick<Seat, "colour">} seat
 * @param {string | (Node | string)[]} content
 */
export function seatBox(tag, look, { colour }, content) {
  const box = make(tag, look, content);
  box.dataset.colour = colour;
  return box;
}

/**
 * Who begins.
 * @param {Seat} seat
 */
export function beginsChip(seat) {
  return seatBox("span", "chip", seat, [symbol(seat.sign), make("span", "", word("begins", { side: seat.name }))]);
}
