// Where the pips of a die are.

/**
 * Where a pip may be, on a die of 100 by 100.
 * @type {Record<string, [number, number]>}
 */
export const PLACES = { nw: [27, 27], w: [27, 50], sw: [27, 73], c: [50, 50], ne: [73, 27], e: [73, 50], se: [73, 73] };
/**
 * The places that show a number.
 * @type {Record<number, string[]>}
 */
export const FACES = {
  1: ["c"],
  2: ["nw", "se"],
  3: ["nw", "c", "se"],
  4: ["nw", "ne", "sw", "se"],
  5: ["nw", "ne", "c", "sw", "se"],
  6: ["nw", "w", "sw", "ne", "e", "se"],
};
