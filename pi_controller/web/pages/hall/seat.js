// A seat as the hall screen shows it: a box in its colour, with its sign and a text.

import { make, symbol } from "../dom.js";
import { NOBODY, dueSeat } from "../seats.js";
import { beginsText } from "../texts.js";

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
 * Who begins, or that the lot will say so; nothing where nobody is to.
 * @param {Api.Picture} picture
 */
export function beginsChips(picture) {
  const [seat, text] = [dueSeat(picture), beginsText(picture)];
  if (text === "") return [];
  return [seatBox("span", "chip", seat ?? NOBODY, [...(seat === null ? [] : [symbol(seat.sign)]), make("span", "", text)])];
}
