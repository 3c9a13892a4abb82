// What the tables' displays showed at a moment, by `GET /api/games/{id}/replay/tables`. Pure.

/**
 * @typedef {Api.TablesShown} Tables
 * @typedef {Api.ShownFrom} Shown
 * @typedef {"moon" | "sun"} Side
 * @typedef {{ side: Side, boards: string[], others: boolean }} Seats
 * @typedef {{ key: string, shown: Shown, seats: Seats[], board: string }} Group
 */

/** @type {Side[]} */
export const SIDES = ["sun", "moon"];
export const WIDTH = 128;
export const HEIGHT = 64;
const OTHERS = ""; // in place of a board: all places of a side that have no pictures of their own
const AS_THE_OTHERS = -1;
const ROW = WIDTH / 8;
const HALF_ROW = ROW / 2;

/**
 * The newest of these at this moment; they stand in order.
 * @param {Shown[]} shown
 * @param {number} atMs
 */
function newest(shown, atMs) {
  let [first, behind] = [0, shown.length];
  while (first < behind) {
    const middle = (first + behind) >> 1;
    if ((shown[middle]?.[0] ?? 0) <= atMs) first = middle + 1;
    else behind = middle;
  }
  return shown[first - 1];
}

/**
 * What a place shows that is not what the others of its side show.
 * @param {Tables} tables
 * @param {{ board: string, side: Side }} place
 * @param {number} atMs
 */
function shownAt(tables, { board, side }, atMs) {
  const found = tables.places.find((place) => place.board === board && place.side === side);
  const shown = found === undefined ? undefined : newest(found.shown, atMs);
  return shown === undefined || shown[1] === AS_THE_OTHERS ? undefined : shown;
}

/** @param {Shown} shown */
const keyOf = ([, left, right, names]) => `${left} ${right} ${names}`;

/**
 * Each picture that stands on any display at this moment, and where.
 * @param {Tables} tables
 * @param {number} atMs
 */
export function groupsAt(tables, atMs) {
  /** @type {Map<string, Group>} */
  const groups = new Map();
  /**
   * @param {Shown} shown
   * @param {Seats} seats
   */
  function add(shown, seats) {
    const key = keyOf(shown);
    const group = groups.get(key) ?? { key, shown, seats: [], board: seats.boards[0] ?? OTHERS };
    const same = group.seats.find(({ side, others }) => side === seats.side && !others && !seats.others);
    if (same === undefined) group.seats.push(seats);
    else same.boards.push(...seats.boards);
    groups.set(key, group);
  }
  for (const side of SIDES) {
    const own = tables.places.filter((place) => place.side === side && place.board !== OTHERS && shownAt(tables, place, atMs) !== undefined);
    const apart = new Set(own.map(({ board }) => board));
    const boards = tables.boards.filter((board) => !apart.has(board));
    const shown = shownAt(tables, { board: OTHERS, side }, atMs);
    if (shown !== undefined && (boards.length > 0 || tables.boards.length === 0)) add(shown, { side, boards, others: true });
    for (const place of own) {
      const its = shownAt(tables, place, atMs);
      if (its !== undefined) add(its, { side, boards: [place.board], others: false });
    }
  }
  return [...groups.values()];
}

/**
 * The two displays of one board at this moment.
 * @param {Tables} tables
 * @param {string} board
 * @param {number} atMs
 * @returns {Group[]}
 */
export function boardAt(tables, board, atMs) {
  return SIDES.flatMap((side) => {
    const shown = shownAt(tables, { board, side }, atMs) ?? shownAt(tables, { board: OTHERS, side }, atMs);
    return shown === undefined ? [] : [{ key: `${side} ${keyOf(shown)}`, shown, seats: [{ side, boards: [board], others: false }], board }];
  });
}

/**
 * The bytes of a half; with a board's name what it changes of them is turned over.
 * @param {Tables} tables
 * @param {number} half
 * @param {number | undefined} name
 */
function halfOf({ halves }, half, name) {
  const bytes = atob(halves[half] ?? "");
  if (name === undefined) return bytes;
  const turned = atob(halves[name] ?? "");
  return String.fromCharCode(...Array.from(bytes, (byte, at) => byte.charCodeAt(0) ^ turned.charCodeAt(at)));
}

/**
 * The whole picture, as it is drawn: rows from the top, in base64.
 * @param {Tables} tables
 * @param {Shown} shown
 * @param {string} board
 */
export function bitsOf(tables, [, left, right, names], board) {
  const [leftName, rightName] = tables.names[names]?.[board] ?? [];
  const [first, second] = [halfOf(tables, left, leftName), halfOf(tables, right, rightName)];
  const rows = Array.from({ length: HEIGHT }, (_, row) => first.slice(row * HALF_ROW, (row + 1) * HALF_ROW) + second.slice(row * HALF_ROW, (row + 1) * HALF_ROW));
  return btoa(rows.join(""));
}
