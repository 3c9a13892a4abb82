// The tables as they are now, and the map that shows them.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { symbol } from "./components.js";
import { redraw } from "./dom.js";
import { jsonOf, openFeed } from "./feed.js";
import { STANDINGS, boardsOf, pathThrough, placesOf, placesSaid } from "./tables.js";
import { word } from "./words.js";

/** @import { Board, Point } from "./tables.js" */

// Roster and snapshot as they are now: the feed tells the nodes, the roster is fetched when it may have changed.

/** @typedef {{ roster: Api.Roster, snapshot: Api.TablesSnapshot, boards: Board[] }} KnownHub */

const LOOK_AGAIN_MS = 10_000; // somebody else may have put a roster in place in which no node moved

/** @param {Board} board */
export function placeText({ row, place }) {
  return word("board_place", { row: row.name, place, all: row.boards.length });
}

export class TablesHub {
  /** @type {Api.Roster | null} */
  roster = null;
  /** @type {Api.TablesSnapshot | null} */
  snapshot = null;
  /** @type {Board[]} */
  boards = [];
  open = false;
  /** @type {string | null} */
  #places = null;

  /** `open` says whether news are coming. */
  constructor() {
    openFeed({ path: "/api/tables/feed", onMessage: (/** @type {Api.TablesSnapshot} */ snapshot) => this.#take(snapshot), onOpen: (open) => this.#opened(open) });
    setInterval(() => this.open && this.fetchRoster(), LOOK_AGAIN_MS);
  }

  /**
   * Everything that a map needs; null until all of it is there.
   * @returns {KnownHub | null}
   */
  get known() {
    const { roster, snapshot, boards } = this;
    return roster === null || snapshot === null ? null : { roster, snapshot, boards };
  }

  /**
   * Where a board stands, in words; "" while it is not known.
   * @param {string | null} name
   */
  placeOf(name) {
    const board = this.boards.find((each) => each.name === name);
    return board === undefined ? "" : placeText(board);
  }

  /** Asks for the roster; when it does not come, the one that is known stays and the feed tells of the trouble. */
  async fetchRoster() {
    const roster = await jsonOf("/api/roster");
    if (roster !== null) this.takeRoster(roster);
  }

  /** @param {Api.Roster} roster */
  takeRoster(roster) {
    this.roster = roster;
    this.#placeBoards();
    redraw();
  }

  /** @param {boolean} open */
  #opened(open) {
    if (this.open === open) return;
    this.open = open;
    if (open) this.fetchRoster();
  }

  /** @param {Api.TablesSnapshot} snapshot */
  #take(snapshot) {
    const places = placesSaid(snapshot);
    this.snapshot = snapshot;
    if (this.#places !== null && this.#places !== places) this.fetchRoster();
    this.#places = places;
    this.#placeBoards();
  }

  #placeBoards() {
    if (this.roster !== null && this.snapshot !== null) this.boards = boardsOf(this.roster, this.snapshot);
  }
}

// The hall map: each row as a line with its boards on it. A board's standing has a colour and a shape of its own.

/**
 * @typedef {"large" | "small"} Size
 * @typedef {{ chosen?: string | null, next?: string | null, claims?: Map<string, number> }} Marks
 */

const STEPS = { large: 66, small: 30, tiny: 21 }; // pixels from board to board
const [NAME_GAP, LETTER] = [10, 10]; // pixels: a row's name stands beside a small one
const LONG_NAME = 4; // letters that fit on a board in the usual width
const MANY = 64; // so many boards make a small map a tiny one

const legend = () => html`<ul class="map-legend">${STANDINGS.map((standing) => html`
  <li class="map-key" data-node=${standing}>${symbol(`node-${standing}`)}<span>${word(`node_${standing}`)}</span></li>`)}</ul>`;

/**
 * A map that follows the width of the page. `size` is `large` (names on the boards, with a legend) or `small`; with
 * `onChoose(name)` boards are buttons, otherwise marks that are only named.
 */
export class HallMap {
  #width = 0; // pixels, 0 until the page has been laid out
  /** @type {HTMLElement | null} */
  #followed = null;

  /** @param {{ size: Size, onChoose?: ((name: string) => void) | null }} options */
  constructor({ size, onChoose = null }) {
    this.size = size;
    this.onChoose = onChoose;
  }

  /**
   * From now on the map is as wide as this element.
   * @param {HTMLElement} element
   */
  follow(element) {
    if (this.#followed === element) return;
    this.#followed = element;
    new ResizeObserver(() => {
      if (element.clientWidth === this.#width) return;
      this.#width = element.clientWidth;
      redraw();
    }).observe(element);
  }

  /**
   * Marks: the `chosen` board, the `next` one of a walk, and the places of open `claims` by board.
   * @param {Pick<KnownHub, "boards" | "roster">} hub
   * @param {Marks} marks
   */
  draw({ roster: { rows }, boards }, marks = {}) {
    const scale = this.size === "small" && boards.length > MANY ? "tiny" : this.size;
    const left = this.size === "large" ? 0 : NAME_GAP + LETTER * Math.max(0, ...rows.map(({ name }) => name.length));
    const room = { width: this.#width - left, step: STEPS[scale] };
    const row = (/** @type {Api.Row} */ each) => this.#row(each, boards.filter((board) => board.row === each), room, marks);
    return html`<div class="map" data-size=${scale}>
      <div class="map-rows" .style=${`--name: ${left}px`}>${room.width > 0 ? rows.map(row) : nothing}</div>
      ${this.size === "large" ? legend() : nothing}
    </div>`;
  }

  /**
   * @param {Api.Row} row
   * @param {Board[]} boards
   * @param {{ width: number, step: number }} room
   * @param {Marks} marks
   */
  #row(row, boards, room, marks) {
    const laid = placesOf(row, room);
    const name = this.size === "large" ? word("row", { row: row.name }) : row.name;
    return html`<section class="map-row">
      <h3 class="map-row-name">${name}</h3>
      <div class="map-field" .style=${`width: ${laid.width}px; height: ${laid.height}px`}>
        <svg class="map-lines" aria-hidden="true" width=${laid.width} height=${laid.height}><path class="map-line" d=${pathThrough(laid)}></path></svg>
        ${boards.map((board, index) => this.#mark(board, laid.points[index] ?? { x: 0, y: 0 }, marks))}
      </div>
    </section>`;
  }

  /**
   * @param {Board} board
   * @param {Point} point
   * @param {Marks} marks
   */
  #mark({ name, standing, swapped }, { x, y }, { chosen, next, claims }) {
    const claim = claims?.get(name);
    const known = { board: name, standing: word(`node_${standing}`) };
    const said = claim === undefined ? word("board_is", known) : word("board_with_claim", { ...known, place: claim });
    const looks = { long: name.length > LONG_NAME, chosen: name === chosen, next: name === next, swapped };
    const look = ["map-board", ...Object.entries(looks).filter(([, on]) => on).map(([each]) => each)].join(" ");
    const place = `left: ${x}px; top: ${y}px`;
    const content = html`${symbol(`node-${standing}`)}<span class="map-name">${name}</span>${claim === undefined ? nothing : html`<span class="map-claim">${claim}</span>`}`;
    const { onChoose } = this;
    if (onChoose === null) {
      return html`<span class=${look} role="img" data-board=${name} data-node=${standing} title=${said} aria-label=${said} .style=${place}>${content}</span>`;
    }
    return html`<button type="button" class=${look} data-board=${name} data-node=${standing} title=${said} aria-label=${said}
      aria-pressed=${name === chosen} .style=${place} @click=${() => onChoose(name)}>${content}</button>`;
  }
}
