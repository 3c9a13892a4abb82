// The boards of a hall: how each stands, and where it is drawn. Pure: no DOM, no network.

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

// Where the boards of a row are drawn. Pure: lengths in pixels, from the top left corner of the row.

/**
 * @typedef {{ x: number, y: number }} Point
 * @typedef {{ points: Point[], closed: boolean, width: number, height: number }} Laid
 */

const LEAST_RING = 8; // a ring of fewer boards is two lines

/**
 * A row that does not fit goes back and forth, so that neighbours stay neighbours.
 * @param {number} count
 * @param {number} perLine
 */
function backAndForth(count, perLine) {
  const lines = Math.max(1, Math.ceil(count / perLine));
  const length = Math.ceil(count / lines);
  return Array.from({ length: count }, (_, index) => {
    const line = Math.floor(index / length);
    const along = index % length;
    return { column: line % 2 === 0 ? along : length - 1 - along, line };
  });
}

/**
 * Around an empty middle, clockwise from the top left.
 * @param {number} count
 * @param {number} perLine
 */
function around(count, perLine) {
  const least = count >= LEAST_RING ? 3 : 2;
  const lines = Math.max(least, Math.ceil((count - 2 * perLine) / 2) + 2);
  const columns = Math.ceil((count - 2 * (lines - 2)) / 2);
  const [right, bottom] = [columns - 1, lines - 1];
  const places = [];
  for (let column = 0; column <= right; column += 1) places.push({ column, line: 0 });
  for (let line = 1; line < bottom; line += 1) places.push({ column: right, line });
  for (let column = right; column >= 0; column -= 1) places.push({ column, line: bottom });
  for (let line = bottom - 1; line > 0; line -= 1) places.push({ column: 0, line });
  return places.slice(0, count);
}

/**
 * Centres of the boards of a row: `points` [{x, y}], `height` and `width` of the whole, `closed` for a ring.
 * `step` is from one centre to the next; `width` is what there is.
 * @param {Api.Row} row
 * @param {{ width: number, step: number }} room
 * @returns {Laid}
 */
export function placesOf({ shape, angle, boards }, { width, step }) {
  const perLine = Math.max(1, Math.floor(width / step));
  const ring = shape === "ring" && boards.length > 3 && perLine > 1;
  const grid = ring ? around(boards.length, perLine) : backAndForth(boards.length, perLine);
  const swing = shape === "angled" ? Math.min(0.5, Math.tan((angle * Math.PI) / 360)) * step : 0;
  const lineHeight = step + swing;
  const points = grid.map(({ column, line }, index) => ({
    x: (column + 0.5) * step,
    y: step / 2 + line * lineHeight + (index % 2) * swing,
  }));
  const lowest = Math.max(0, ...points.map(({ y }) => y));
  const widest = Math.max(0, ...points.map(({ x }) => x));
  return { points, closed: ring, width: widest + step / 2, height: lowest + step / 2 };
}

/**
 * The line through the boards as an SVG path.
 * @param {Laid} laid
 */
export function pathThrough({ points, closed }) {
  if (points.length < 2) return "";
  return `M${points.map(({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L")}${closed ? "Z" : ""}`;
}
