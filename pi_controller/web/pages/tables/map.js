// The hall map: each row as a line with its boards on it. A board's standing has a colour and a shape of its own.

import { make, setData, setSymbol, setText, show, svgElement, symbol } from "../dom.js";
import { word } from "../words.js";
import { pathThrough, placesOf } from "./layout.js";
import { STANDINGS } from "./reading.js";

/**
 * @import { Point } from "./layout.js"
 * @import { Board, Standing } from "./reading.js"
 * @typedef {"large" | "small"} Size
 * @typedef {{ chosen: string | null, next: string | null, claims: Map<string, number> }} Marks
 */

const STEPS = { large: 66, small: 30, tiny: 21 }; // pixels from board to board
const [NAME_GAP, LETTER] = [10, 10]; // pixels: a row's name stands beside a small one
const LONG_NAME = 4; // letters that fit on a board in the usual width
const MANY = 64; // so many boards make a small map a tiny one

/** One board: a button where boards can be chosen, otherwise a mark that is only named. */
class BoardMark {
  /**
   * @param {string} name
   * @param {((name: string) => void) | null} onChoose
   */
  constructor(name, onChoose) {
    this.name = name;
    this.glyph = symbol("node-unfitted");
    this.place = make("span", "map-claim");
    const content = [this.glyph, make("span", "map-name", name), this.place];
    this.element = make(onChoose === null ? "span" : "button", "map-board", content);
    if (onChoose !== null && this.element instanceof HTMLButtonElement) {
      this.element.type = "button";
      this.element.addEventListener("click", () => onChoose(name));
    } else {
      this.element.setAttribute("role", "img");
    }
    this.element.dataset.board = name;
    this.element.classList.toggle("long", name.length > LONG_NAME);
  }

  /**
   * @param {Board} board
   * @param {Marks} marks
   */
  draw(board, { chosen, claims, next }) {
    const place = claims.get(board.name);
    setData(this.element, "node", board.standing);
    setSymbol(this.glyph, `node-${board.standing}`);
    setText(this.place, place === undefined ? "" : String(place));
    show(this.place, place !== undefined);
    this.element.classList.toggle("chosen", chosen === board.name);
    this.element.classList.toggle("next", next === board.name);
    this.element.classList.toggle("swapped", board.swapped);
    if (this.element.tagName === "BUTTON") this.element.setAttribute("aria-pressed", String(chosen === board.name));
    const said = { board: board.name, standing: word(`node_${board.standing}`), place };
    const name = word(place === undefined ? "boardIs" : "boardWithClaim", said);
    if (this.element.title !== name) {
      this.element.title = name;
      this.element.setAttribute("aria-label", name);
    }
  }
}

/**
 * @param {HTMLElement} element
 * @param {Point} point
 */
function place(element, { x, y }) {
  element.style.left = `${x}px`;
  element.style.top = `${y}px`;
}

/** One row: its name, the line and the boards on it. */
class RowView {
  /**
   * @param {Api.Row} row
   * @param {Size} size
   * @param {((name: string) => void) | null} onChoose
   */
  constructor(row, size, onChoose) {
    this.row = row;
    this.marks = row.boards.map((board) => new BoardMark(board.name, onChoose));
    this.path = svgElement("path", { class: "map-line" });
    this.line = svgElement("svg", { class: "map-lines", "aria-hidden": "true" });
    this.line.append(this.path);
    this.field = make("div", "map-field", [this.line, ...this.marks.map((mark) => mark.element)]);
    this.element = make("section", "map-row", [make("h3", "map-row-name", size === "large" ? word("row", { name: row.name }) : row.name), this.field]);
  }

  /**
   * @param {number} width
   * @param {number} step
   */
  lay(width, step) {
    const laid = placesOf(this.row, { width, step });
    this.path.setAttribute("d", pathThrough(laid));
    this.line.setAttribute("width", String(laid.width));
    this.line.setAttribute("height", String(laid.height));
    this.field.style.height = `${laid.height}px`;
    this.field.style.width = `${laid.width}px`;
    for (const [index, mark] of this.marks.entries()) place(mark.element, laid.points[index] ?? { x: 0, y: 0 });
  }
}

/** @param {Standing} standing */
function legendLine(standing) {
  const line = make("li", "map-key", [symbol(`node-${standing}`), make("span", "", word(`node_${standing}`))]);
  line.dataset.node = standing;
  return line;
}

/**
 * Builds a map into `root`. `size` is `large` (names on the boards) or `small`; with `onChoose(name)` boards are
 * buttons. `draw(roster, boards, state)`: state has `chosen`, `next` (names or null) and `claims` (name → place).
 * @param {HTMLElement} root
 * @param {{ size: Size, onChoose?: ((name: string) => void) | null, legend?: boolean }} options
 */
export function hallMap(root, { size, onChoose = null, legend = true }) {
  const rowsBox = make("div", "map-rows");
  root.classList.add("map");
  root.dataset.size = size;
  root.append(rowsBox);
  if (legend) root.append(make("ul", "map-legend", STANDINGS.map(legendLine)));
  /** @type {keyof typeof STEPS} */
  let scale = size;
  /** @type {RowView[]} */
  let rows = [];
  /** @type {string | null} */
  let built = null;

  /** @param {Api.Roster} roster */
  function build(roster) {
    const said = JSON.stringify(roster.rows.map((row) => [row.name, row.shape, row.angle, row.boards.map((board) => board.name)]));
    if (said === built) return;
    built = said;
    const many = roster.rows.reduce((sum, row) => sum + row.boards.length, 0) > MANY;
    scale = size === "small" && many ? "tiny" : size;
    root.dataset.size = scale;
    rows = roster.rows.map((row) => new RowView(row, size, onChoose));
    rowsBox.replaceChildren(...rows.map((row) => row.element));
    lay();
  }

  function lay() {
    const width = rowsBox.clientWidth;
    const step = STEPS[scale];
    const longest = Math.max(0, ...rows.map(({ row }) => row.name.length));
    const left = size === "large" ? 0 : NAME_GAP + LETTER * longest;
    rowsBox.style.setProperty("--name", `${left}px`);
    if (width <= 0) return;
    for (const row of rows) row.lay(width - left, step);
  }

  new ResizeObserver(lay).observe(rowsBox);
  return {
    /**
     * @param {Api.Roster} roster
     * @param {Board[]} boards
     * @param {Partial<Marks>} marks
     */
    draw(roster, boards, { chosen = null, next = null, claims = new Map() } = {}) {
      build(roster);
      const marks = rows.flatMap((row) => row.marks);
      marks.forEach((mark, index) => {
        const board = boards[index];
        if (board !== undefined) mark.draw(board, { chosen, claims, next });
      });
    },
  };
}
