// What a walk has come to. Pure: no DOM, no network.

/** How a board stands: `odd` (something is to be looked at), `done`, `half` (one side heard) or `open`. */
export function standingOf(board) {
  if (board.note !== "") return "odd";
  if (board.sun && board.moon) return "done";
  return board.sun || board.moon ? "half" : "open";
}

const over = (board) => board.sun && board.moon;

/** [{name, boards, done}], in the order of the boards. */
export function rowsOf(boards) {
  return [...Map.groupBy(boards, (board) => board.row)].map(([name, own]) => ({ name, boards: own, done: own.filter(over).length }));
}

/** The board to go to in this row: the first one that is not done and not passed over; null when there is none. */
export function nextOf(row, passed) {
  return row.boards.find((board) => !over(board) && !passed.has(board.board)) ?? null;
}

/** The first row in which there is something to do, the present one before all others; null when there is none. */
export function rowToWalk(rows, present) {
  const ordered = [...rows.filter((row) => row.name === present), ...rows.filter((row) => row.name !== present)];
  return ordered.find((row) => row.done < row.boards.length) ?? ordered[0] ?? null;
}

/** Names of the boards that are not done. */
export function openOf(boards) {
  return boards.filter((board) => !over(board)).map((board) => board.board);
}
