// Rows and boards as a form. A board that stays keeps its node; the controller has the last word.

import { make, part, setText, show } from "../dom.js";
import { word } from "../words.js";

/**
 * @import { WordKey } from "../words.js"
 * @import { Sentences } from "./roster.js"
 */

const SHAPES = /** @type {const} */ (["straight", "angled", "ring"]);
const MOST_BOARDS = 99;
const USUAL_ANGLE = 30;

/**
 * @param {WordKey} key
 * @param {Element} input
 */
function labelled(key, input) {
  return make("label", "", [make("span", "", word(key)), input]);
}

/**
 * @param {string} type
 * @param {string | number} value
 * @param {Record<string, string | number | boolean>} limits
 */
function field(type, value, limits) {
  const input = make("input");
  Object.assign(input, { type, value: String(value), ...limits });
  return input;
}

/** One row of the form; `original` is the row that it came from, or null. */
class RowFields {
  /**
   * @param {Api.Row | null} original
   * @param {string} name
   * @param {{ onChange: () => void, onRemove: (row: RowFields) => void }} hands
   */
  constructor(original, name, { onChange, onRemove }) {
    this.original = original;
    this.name = field("text", name, { maxLength: 4, required: true, pattern: "[A-Za-z0-9\\-]+", autocomplete: "off" });
    this.shape = make("select", "", SHAPES.map((shape) => Object.assign(make("option", "", word(`shape_${shape}`)), { value: shape })));
    this.shape.value = original?.shape ?? "straight";
    this.angle = field("number", original?.angle || USUAL_ANGLE, { min: 0, max: 90, inputMode: "numeric", required: true });
    this.count = field("number", original?.boards.length ?? 12, { min: 1, max: MOST_BOARDS, inputMode: "numeric", required: true });
    this.angleBox = labelled("rosterAngle", this.angle);
    const remove = make("button", "plain", "×");
    remove.type = "button";
    remove.setAttribute("aria-label", word("rosterRemoveRow", { name }));
    remove.addEventListener("click", () => onRemove(this));
    this.element = make("li", "roster-row", [
      labelled("rosterRowName", this.name),
      labelled("rosterBoards", this.count),
      labelled("rosterShape", this.shape),
      this.angleBox,
      remove,
    ]);
    this.element.addEventListener("input", () => this.#draw(onChange));
    this.#draw(() => {});
  }

  /** @param {() => void} onChange */
  #draw(onChange) {
    show(this.angleBox, this.shape.value === "angled");
    onChange();
  }

  /**
   * The row as it stands in the form.
   * @returns {Api.Row}
   */
  read() {
    const name = this.name.value.trim();
    const renamed = this.original !== null && name !== this.original.name;
    const boards = Array.from({ length: Number(this.count.value) }, (_, index) => {
      const usual = `${name}${index + 1}`;
      const before = this.original?.boards[index];
      return before === undefined ? { name: usual, node: null, swapped: false } : { ...before, name: renamed ? usual : before.name };
    });
    const angle = this.shape.value === "angled" ? Number(this.angle.value) : 0;
    const shape = /** @type {Api.Row["shape"]} */ (this.shape.value);
    return { name, shape, angle, boards };
  }
}

/**
 * The first letter that no row has.
 * @param {RowFields[]} rows
 */
function freeName(rows) {
  const taken = rows.map((row) => row.name.value);
  return [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"].find((letter) => !taken.includes(letter)) ?? "";
}

/** @param {Api.Row[]} rows */
function nodesIn(rows) {
  return rows.flatMap((row) => row.boards.map((board) => board.node)).filter((node) => node !== null);
}

export class RosterForm {
  /** @type {RowFields[]} */
  #rows = [];
  /** @type {Api.Roster | null} */
  #before = null;

  /**
   * `put(roster)` resolves with whether it is in force, `say({mistake})` shows a sentence.
   * @param {{ put: (roster: Api.Roster) => Promise<boolean>, say: (sentences: Sentences) => void }} hands
   */
  constructor({ put, say }) {
    this.put = put;
    this.say = say;
    part("roster-add").addEventListener("click", () => this.#add(null, freeName(this.#rows)).name.focus());
    part("roster-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#save();
    });
  }

  /**
   * Opens the form with this roster, or closes it.
   * @param {Api.Roster} roster
   */
  toggle(roster) {
    const form = part("roster-form");
    show(form, Boolean(form.hidden));
    this.say({});
    if (form.hidden) return;
    this.#before = roster;
    this.#rows = [];
    part("roster-rows").replaceChildren();
    for (const row of roster.rows) this.#add(row, row.name);
    if (this.#rows.length === 0) this.#add(null, "A");
    this.#warn();
    this.#rows[0]?.name.focus();
  }

  /**
   * @param {Api.Row | null} original
   * @param {string} name
   */
  #add(original, name) {
    const row = new RowFields(original, name, {
      onChange: () => this.#warn(),
      onRemove: (gone) => this.#remove(gone),
    });
    this.#rows.push(row);
    part("roster-rows").append(row.element);
    return row;
  }

  /** @param {RowFields} gone */
  #remove(gone) {
    this.#rows = this.#rows.filter((row) => row !== gone);
    gone.element.remove();
    this.#warn();
  }

  /** @returns {Api.Roster} */
  #read() {
    return { version: 1, rows: this.#rows.map((row) => row.read()) };
  }

  #warn() {
    const kept = new Set(nodesIn(this.#read().rows));
    const lost = nodesIn(this.#before?.rows ?? []).filter((node) => !kept.has(node)).length;
    setText(part("roster-loses"), lost > 0 ? word("rosterLoses", { n: lost }) : "");
  }

  async #save() {
    const roster = this.#read();
    const names = roster.rows.flatMap((row) => row.boards.map((board) => board.name));
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (names.length === 0) return this.say({ mistake: word("rosterNeedRow") });
    if (twice !== undefined) return this.say({ mistake: word("rosterNameTaken", { board: twice }) });
    if (await this.put(roster)) show(part("roster-form"), false);
  }
}
