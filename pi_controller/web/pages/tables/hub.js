// Roster and snapshot as they are now: the feed tells the nodes, the roster is fetched when it may have changed.

import { jsonOf } from "../asked.js";
import { OpenFeed } from "../open_feed.js";
import { word } from "../words.js";
import { boardsOf, placesSaid } from "./reading.js";

/**
 * @import { Board } from "./reading.js"
 * @typedef {{ roster: Api.Roster, snapshot: Api.TablesSnapshot, boards: Board[] }} KnownHub
 */

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

  /**
   * `onChange(hub)` is called whenever anything differs; `open` says whether news are coming.
   * @param {(hub: TablesHub) => void} onChange
   */
  constructor(onChange) {
    this.onChange = onChange;
    new OpenFeed({ path: "/api/tables/feed", onMessage: (snapshot) => this.#take(snapshot), onOpen: (open) => this.#opened(open) }).open();
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
    this.#changed();
  }

  /** @param {boolean} open */
  #opened(open) {
    if (this.open === open) return;
    this.open = open;
    if (open) this.fetchRoster();
    else this.onChange(this);
  }

  /** @param {Api.TablesSnapshot} snapshot */
  #take(snapshot) {
    const places = placesSaid(snapshot);
    this.snapshot = snapshot;
    if (this.#places !== null && this.#places !== places) this.fetchRoster();
    this.#places = places;
    this.#changed();
  }

  #changed() {
    if (this.roster !== null && this.snapshot !== null) this.boards = boardsOf(this.roster, this.snapshot);
    this.onChange(this);
  }
}
