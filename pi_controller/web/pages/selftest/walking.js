// What a walk has come to. Pure: no DOM, no network.

/**
 * @typedef {{ name: string, boards: Selftest.WalkBoard[], done: number }} Row
 * @typedef {{ back: boolean, heard: Set<string> }} Known
 */

/**
 * How a board stands: `odd` (something is to be looked at), `done`, `half` (one side heard) or `open`.
 * @param {Selftest.WalkBoard} board
 */
export function standingOf(board) {
  if (board.note !== "") return "odd";
  if (board.sun && board.moon) return "done";
  return board.sun || board.moon ? "half" : "open";
}

/** @param {Selftest.WalkBoard} board */
const over = (board) => board.sun && board.moon;
/** @param {Selftest.WalkBoard} board */
const heard = (board) => board.sun || board.moon;

/**
 * [{name, boards, done}], in the order of the boards.
 * @param {Selftest.WalkBoard[]} boards
 */
export function rowsOf(boards) {
  return [...Map.groupBy(boards, (board) => board.row)].map(([name, own]) => ({ name, boards: own, done: own.filter(over).length }));
}

/**
 * The board to go to in this row: the first one that is not done and not passed over; null when there is none.
 * @param {Row} row
 * @param {Set<string>} passed
 * @param {boolean} back
 */
export function nextOf(row, passed, back) {
  const boards = back ? row.boards.toReversed() : row.boards;
  return boards.find((board) => !over(board) && !passed.has(board.board)) ?? null;
}

/** Follows the presses of each row, as far as this page has seen them: which way it is walked, what came early. */
export class Course {
  /** @type {Map<string, Known>} */
  #rows = new Map();
  #begun = false;
  /**
   * Board → the board whose turn it was when it was heard.
   * @type {Map<string, string>}
   */
  early = new Map();

  /**
   * Whether this row is walked from its end.
   * @param {string} name
   */
  back(name) {
    return this.#rows.get(name)?.back ?? false;
  }

  /**
   * @param {Row[]} rows
   * @param {Set<string>} passed
   */
  take(rows, passed) {
    const first = !this.#begun;
    this.#begun = true;
    for (const row of rows) this.#takeRow(row, passed, first);
  }

  /**
   * @param {Row} row
   * @param {Set<string>} passed
   * @param {boolean} first
   */
  #takeRow(row, passed, first) {
    const known = this.#rows.get(row.name) ?? { back: false, heard: new Set() };
    this.#rows.set(row.name, known);
    const news = row.boards.filter((board) => heard(board) && !known.heard.has(board.board));
    const [only] = news;
    if (!first && only !== undefined && news.length === 1) this.#hear(only.board, row, known, passed);
    for (const board of news) known.heard.add(board.board);
  }

  /**
   * @param {string} name
   * @param {Row} row
   * @param {Known} known
   * @param {Set<string>} passed
   */
  #hear(name, row, known, passed) {
    const names = row.boards.map((board) => board.board);
    if (known.heard.size === 0 && names.length > 1 && name === names.at(-1)) known.back = true;
    const wanted = (known.back ? names.toReversed() : names).find((each) => !known.heard.has(each) && !passed.has(each));
    if (wanted !== undefined && wanted !== name) this.early.set(name, wanted);
  }
}

/**
 * The first row in which there is something to do, the present one before all others; null when there is none.
 * @param {Row[]} rows
 * @param {string | null} present
 */
export function rowToWalk(rows, present) {
  const ordered = [...rows.filter((row) => row.name === present), ...rows.filter((row) => row.name !== present)];
  return ordered.find((row) => row.done < row.boards.length) ?? ordered[0] ?? null;
}

/**
 * Names of the boards that are not done.
 * @param {Selftest.WalkBoard[]} boards
 */
export function openOf(boards) {
  return boards.filter((board) => !over(board)).map((board) => board.board);
}
