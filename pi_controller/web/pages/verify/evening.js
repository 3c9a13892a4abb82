// Whether the seals of several games follow from each other without a gap, evening by evening. Pure.

import { repr, shownWord } from "./python.js";

/**
 * @import { Said } from "../filling.js"
 * @import { Report } from "./check.js"
 * @import { Place } from "./opening.js"
 * @typedef {Place & { word: string }} Placed
 */

/**
 * What was found: of each evening its seals, then what is wrong with them. Games that are refused, and those whose seal
 * has no number, are left out.
 * @param {readonly Report[]} reports
 * @returns {{ whole: boolean, sentences: Said[] }}
 */
export function checkEvening(reports) {
  /** @type {Map<string, Map<string, Placed>>} */
  const evenings = new Map();
  for (const { verdict, opening, word } of reports) {
    const place = opening?.place ?? null;
    if (verdict === "refused" || place === null) continue;
    const found = evenings.get(place.evening) ?? new Map();
    evenings.set(place.evening, found.set(place.hash, { ...place, word: word ?? "" }));
  }
  /** @type {Said[]} */
  const sentences = [];
  for (const [evening, found] of [...evenings].sort(([one], [other]) => order(one, other))) {
    const places = [...found.values()].sort((one, other) => Number(one.number - other.number) || order(one.gameId, other.gameId) || order(one.hash, other.hash));
    sentences.push({ key: "verify.evening_has_seals", params: { evening: repr(evening), numbers: places.map(({ number }) => number).join(", ") } });
    sentences.push(...notInOrder(places).map((wrong) => ({ key: "verify.in_the_evening", params: { evening: repr(evening), wrong } })));
  }
  return { whole: sentences.length === evenings.size, sentences };
}

/**
 * By code points, as Python sorts.
 * @param {string} one
 * @param {string} other
 */
function order(one, other) {
  const [points, others] = [Array.from(one), Array.from(other)];
  const at = points.findIndex((sign, place) => sign !== others[place]);
  if (at === -1) return points.length - others.length;
  return (points[at]?.codePointAt(0) ?? 0) - (others[at]?.codePointAt(0) ?? -1);
}

/**
 * @param {readonly Placed[]} places those of one evening, sorted by their numbers
 * @returns {Said[]}
 */
function notInOrder(places) {
  /** @type {Map<string, bigint>} */
  const words = new Map();
  /** @type {Said[]} */
  const wrong = [];
  let reached = 0n;
  /** @type {Placed | null} */
  let before = null;
  for (const place of places) {
    const { number, word } = place;
    if (number > reached + 1n) wrong.push({ key: "verify.seals_are_missing", params: { numbers: number === reached + 2n ? String(number - 1n) : `${reached + 1n}-${number - 1n}` } });
    else if (before !== null && number === reached) wrong.push({ key: "verify.seal_of_two_games", params: { number: String(number), game_id: repr(before.gameId), other: repr(place.gameId) } });
    else if (before !== null && place.before !== before.hash) wrong.push({ key: "verify.seal_does_not_follow", params: { number: String(number), before: String(reached) } });
    const earlier = words.get(word);
    if (earlier !== undefined) wrong.push({ key: "verify.word_of_two_seals", params: { number: String(earlier), other: String(number), word: shownWord(word) } });
    else if (word !== "") words.set(word, number);
    [reached, before] = [number, place];
  }
  return wrong;
}
