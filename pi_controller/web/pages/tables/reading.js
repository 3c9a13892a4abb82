// What roster and snapshot say together about each board. Pure: no DOM, no network.

/**
 * @typedef {Api.NodeView["state"] | "unfitted"} Standing
 * @typedef {{ name: string, row: Api.Row, place: number, uid: string | null, swapped: boolean, node: Api.NodeView | null, standing: Standing }} Board
 */

/** @type {readonly Standing[]} */
export const STANDINGS = ["good", "suspect", "lost", "outdated", "duplicate", "unfitted"];

/**
 * All boards in the order in which they are walked: row, place, node (or null) and how each stands.
 * @param {Api.Roster} roster
 * @param {Api.TablesSnapshot} snapshot
 * @returns {Board[]}
 */
export function boardsOf(roster, snapshot) {
  const nodes = new Map(snapshot.nodes.map((node) => [node.uid, node]));
  return roster.rows.flatMap((row) =>
    row.boards.map((board, index) => {
      const node = nodes.get(board.node ?? "") ?? null;
      return { name: board.name, row, place: index + 1, uid: board.node, swapped: board.swapped, node, standing: standingOf(board, node) };
    }),
  );
}

/**
 * @param {Api.Board} board
 * @param {Api.NodeView | null} node
 * @returns {Standing}
 */
function standingOf(board, node) {
  if (board.node === null) return "unfitted";
  if (node === null) return "lost";
  return node.state === "good" && node.wordless ? "outdated" : node.state;
}

/**
 * Nodes that stand at no board, in the order of segment and address.
 * @param {Api.Roster} roster
 * @param {Api.TablesSnapshot} snapshot
 */
export function sparesOf(roster, snapshot) {
  const placed = new Set(roster.rows.flatMap((row) => row.boards.map((board) => board.node)));
  return snapshot.nodes.filter((node) => !placed.has(node.uid));
}

/**
 * How many boards stand how: [standing, boards], those that have any, in the order of STANDINGS.
 * @param {Board[]} boards
 * @returns {[Standing, Board[]][]}
 */
export function standingsOf(boards) {
  const found = Map.groupBy(boards, (board) => board.standing);
  return STANDINGS.filter((standing) => found.has(standing)).map((standing) => [standing, found.get(standing) ?? []]);
}

/**
 * Which node stands where, as a text: it differs when somebody has changed the roster.
 * @param {Api.TablesSnapshot} snapshot
 */
export function placesSaid(snapshot) {
  const done = snapshot.enrolment?.done.join() ?? "";
  return snapshot.nodes.map((node) => `${node.uid}${node.board}${node.swapped}`).join() + done;
}

/**
 * Names of boards, shortened after `most` of them.
 * @param {Board[]} boards
 */
export function namesOf(boards, most = 6) {
  const names = boards.slice(0, most).map((board) => board.name);
  return names.join(", ") + (boards.length > most ? ` +${boards.length - most}` : "");
}
