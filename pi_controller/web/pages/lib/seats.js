// Who acts in turn, as a picture names them: the one place that knows which signs and colours are drawn. Pure: no DOM.

import { hasWord, told, word } from "./words.js";

/** @typedef {{ name: string, sign: string, colour: string }} Seat */

const SIGNS = ["sun", "moon", "square", "circle", "diamond", "triangle", "star", "cross"]; // of symbols.svg
const COLOURS = ["amber", "blue", "green", "red", "white", "orange", "brown"]; // of base.css

/** A phase in which nobody acts. */
export const NOBODY = { colour: "neutral" };

/**
 * How a seat is called, by a name of its own or by its id, its symbol and its colour. One without a drawn sign is a hexagon, one without a known colour is neutral.
 * @param {Pick<Api.Picture, "seats">} picture
 * @param {string} id
 * @returns {Seat}
 */
export function seatOf({ seats }, id) {
  const seat = seats.find((each) => each.id === id);
  const own = seat?.name ?? id;
  const named = own.toLowerCase() !== id;
  return {
    name: hasWord(id) ? word(id) : named ? own : told(own, { key: `seat.${id}`, params: {} }),
    sign: SIGNS.find((sign) => sign === seat?.sign) ?? "hex",
    colour: COLOURS.find((colour) => colour === seat?.colour) ?? NOBODY.colour,
  };
}

/**
 * The seat of a claim, a roll or a victory; null where there is none.
 * @param {Pick<Api.Picture, "seats">} picture
 * @param {{ side: string | null }} from
 */
export const seatFrom = (picture, { side }) => (side === null ? null : seatOf(picture, side));

/**
 * What the seat with this id is called; "" where there is none.
 * @param {Pick<Api.Picture, "seats">} picture
 * @param {string | null} side
 */
export const nameOf = (picture, side) => (side === null ? "" : seatOf(picture, side).name);

/**
 * All seats in the order in which they act, with their ids.
 * @param {Pick<Api.Picture, "seats"> | null} picture
 */
export function allSeats(picture) {
  return picture === null ? [] : picture.seats.map(({ id }) => ({ id, ...seatOf(picture, id) }));
}

/** @typedef {Pick<Api.Picture, "next_seat" | "seat" | "seats">} Turn */

/**
 * The seat with this number; null where there is none.
 * @param {Turn} picture
 * @param {number | null} place
 */
function seatAt(picture, place) {
  const seat = place === null ? undefined : picture.seats[place];
  return seat === undefined ? null : seatOf(picture, seat.id);
}

/**
 * The seat that acts now; null while nobody does.
 * @param {Turn} picture
 */
export function actingSeat(picture) {
  return seatAt(picture, picture.seat);
}

/**
 * Whom a clock names: who acts, or who will be the first to act; null where that is nobody.
 * @param {Turn & Pick<Api.Picture, "phase" | "turn">} picture
 * @param {import("./reading.js").Scene} scene
 */
export function namedSeat(picture, scene) {
  if (scene === "collecting" || scene === "ended") return null;
  if (picture.phase === "robber") return { ...NOBODY, sign: "robber", name: word("robber") };
  return picture.turn?.building ? { ...NOBODY, sign: "hex", name: word("turn_others") } : dueSeat(picture);
}

/**
 * The seat that acts now or will be the first to act; null where there is none.
 * @param {Turn} picture
 */
export function dueSeat(picture) {
  return seatAt(picture, picture.seat ?? picture.next_seat);
}
