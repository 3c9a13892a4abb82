// The roster: export, import, and drawing one up.

import { repeat } from "../vendor/lit-html/directives/repeat.js";
import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { part, redraw } from "../lib/dom.js";
import { postJson } from "../lib/feed.js";
import { word } from "../lib/words.js";

/** @import { KnownHub, TablesHub } from "../lib/hall_map.js" */

// Rows and boards as a form. A board that stays keeps its node; the controller has the last word.

/**
 * A row of the form: the row that it came from, what its fields began with, and what they say now.
 * @typedef {{ name: string, boards: string, shape: string, angle: string }} Fields
 * @typedef {{ original: Api.Row | null, first: Fields, now: Fields }} RowForm
 */

const SHAPES = /** @type {const} */ (["straight", "angled", "ring"]);
const MOST_BOARDS = 99;
const [USUAL_BOARDS, USUAL_ANGLE] = [12, 30];

/**
 * @param {Api.Row | null} original
 * @param {string} name
 * @returns {RowForm}
 */
function formOf(original, name) {
  const boards = String(original?.boards.length ?? USUAL_BOARDS);
  const first = { name, boards, shape: original?.shape ?? "straight", angle: String(original?.angle || USUAL_ANGLE) };
  return { original, first, now: { ...first } };
}

/**
 * The row as it stands in the form. A row that is called otherwise now calls its boards otherwise.
 * @param {RowForm} form
 * @returns {Api.Row}
 */
function rowOf({ original, now }) {
  const name = now.name.trim();
  const renamed = original !== null && name !== original.name;
  const boards = Array.from({ length: Number(now.boards) }, (_, index) => {
    const usual = `${name}${index + 1}`;
    const before = original?.boards[index];
    return before === undefined ? { name: usual, node: null, swapped: false } : { ...before, name: renamed ? usual : before.name };
  });
  const shape = SHAPES.find((each) => each === now.shape) ?? "straight";
  return { name, shape, angle: shape === "angled" ? Number(now.angle) : 0, boards };
}

/** @param {Api.Row[]} rows */
function nodesIn(rows) {
  return rows.flatMap((row) => row.boards.map((board) => board.node)).filter((node) => node !== null);
}

class RosterForm {
  /** @type {RowForm[] | null} */
  #rows = null; // null while the form is closed
  /** @type {Api.Row[]} */
  #before = [];

  /**
   * `put(roster)` resolves with whether it is in force, `say({mistake})` shows a sentence, or none, and draws the page.
   * @param {{ put: (roster: Api.Roster) => Promise<boolean>, say: (sentences: { mistake?: string }) => void }} card
   */
  constructor({ put, say }) {
    this.put = put;
    this.say = say;
  }

  /**
   * Opens the form with this roster, or closes it.
   * @param {Api.Roster} roster
   */
  toggle({ rows }) {
    this.#before = rows;
    const begun = rows.length > 0 ? rows.map((row) => formOf(row, row.name)) : [formOf(null, "A")];
    this.#set(this.#rows === null ? begun : null);
    this.#focus(0);
  }

  /** @param {RowForm[] | null} rows */
  #set(rows) {
    this.#rows = rows;
    this.say({});
  }

  /** @param {number} place */
  #focus(place) {
    if (this.#rows !== null) part("roster-rows").children.item(place)?.querySelector("input")?.focus();
  }

  /** A row more, called by the first letter that no row has. */
  #add() {
    const rows = this.#rows ?? [];
    const taken = rows.map(({ now }) => now.name);
    const name = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"].find((letter) => !taken.includes(letter)) ?? "";
    this.#set([...rows, formOf(null, name)]);
    this.#focus(rows.length);
  }

  /** @param {Api.Row[]} rows */
  #lost(rows) {
    const kept = new Set(nodesIn(rows));
    return nodesIn(this.#before).filter((node) => !kept.has(node)).length;
  }

  /** @param {SubmitEvent} event */
  async #save(event) {
    event.preventDefault();
    const rows = (this.#rows ?? []).map(rowOf);
    const names = rows.flatMap((row) => row.boards.map((board) => board.name));
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (names.length === 0) return this.say({ mistake: word("roster_need_row") });
    if (twice !== undefined) return this.say({ mistake: word("roster_name_taken", { board: twice }) });
    if (!(await this.put({ version: 1, rows }))) return;
    this.#rows = null;
    redraw();
  }

  /** @param {RowForm} form */
  #row(form) {
    const { first, now } = form;
    const note = (/** @type {Event} */ { target }) => {
      const field = /** @type {HTMLInputElement} */ (target);
      now[/** @type {keyof Fields} */ (field.name)] = field.value;
    };
    const remove = () => this.#set((this.#rows ?? []).filter((row) => row !== form));
    return html`<li class="roster-row" @input=${note}>
      <label><span>${word("roster_row_name")}</span><input name="name" value=${first.name} maxlength="4" required pattern="[A-Za-z0-9\\-]+" autocomplete="off"></label>
      <label><span>${word("roster_boards")}</span><input name="boards" type="number" value=${first.boards} min="1" max=${MOST_BOARDS} inputmode="numeric" required></label>
      <label><span>${word("roster_shape")}</span><select name="shape">${SHAPES.map((shape) => html`<option value=${shape} ?selected=${shape === first.shape}>${word(`shape_${shape}`)}</option>`)}</select></label>
      <label ?hidden=${now.shape !== "angled"}><span>${word("roster_angle")}</span><input name="angle" type="number" value=${first.angle} min="0" max="90" inputmode="numeric" required></label>
      <button type="button" class="plain" aria-label=${word("roster_remove_row", { row: first.name })} @click=${remove}>×</button>
    </li>`;
  }

  draw() {
    if (this.#rows === null) return nothing;
    const lost = this.#lost(this.#rows.map(rowOf));
    return html`<form data-is="roster-form" @submit=${(/** @type {SubmitEvent} */ event) => this.#save(event)}>
      <ol class="roster-rows" data-is="roster-rows">${repeat(this.#rows, (row) => row, (row) => this.#row(row))}</ol>
      <div class="row"><button type="button" @click=${() => this.#add()}>${word("roster_add_row")}</button><button class="strong">${word("roster_save")}</button></div>
      <p class="hint">${word("roster_keeps")}</p>
      <p class="warn" data-is="roster-loses" role="status">${lost > 0 ? word("roster_loses", { count: lost }) : ""}</p>
    </form>`;
  }
}

/**
 * The roster in this file; null when it is none.
 * @param {File} file
 * @returns {Promise<Api.Roster | null>}
 */
async function readFile(file) {
  try {
    const roster = JSON.parse(await file.text());
    return Array.isArray(roster?.rows) ? roster : null;
  } catch (problem) {
    if (!(problem instanceof SyntaxError)) throw problem;
    return null;
  }
}

/** The address of a roster as a file. */
class Export {
  #text = "";
  #address = "";

  /** @param {Api.Roster} roster */
  addressOf(roster) {
    const text = `${JSON.stringify(roster, null, 1)}\n`;
    if (text !== this.#text) {
      URL.revokeObjectURL(this.#address);
      this.#text = text;
      this.#address = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    }
    return this.#address;
  }
}

/**
 * @param {number} rows
 * @param {number} boards
 * @param {number} fitted
 */
function counted(rows, boards, fitted) {
  return word("roster_count", { rows: word("roster_rows", { count: rows }), boards: word("roster_boards_count", { count: boards }), fitted: word("roster_fitted", { count: fitted }) });
}

/** @param {TablesHub} hub */
export function rosterCard(hub) {
  const file = new Export();
  let said = { mistake: "", well: "" };

  /** @param {Partial<typeof said>} sentences */
  function say({ mistake = "", well = "" }) {
    said = { mistake, well };
    redraw();
  }

  /** @param {Api.Roster} roster */
  async function put(roster) {
    const { status, reasons } = await postJson("/api/roster", roster, { unanswered: word("action_failed") });
    const done = status === "accepted";
    say(done ? { well: word("roster_imported") } : { mistake: reasons.join(" ") });
    if (done) hub.takeRoster(roster);
    return done;
  }

  const form = new RosterForm({ put, say });
  const edit = () => hub.roster !== null && form.toggle(hub.roster);

  /** @param {Event} event */
  async function take({ currentTarget }) {
    const chooser = /** @type {HTMLInputElement} */ (currentTarget);
    const [chosen] = chooser.files ?? [];
    if (chosen === undefined) return;
    const roster = await readFile(chosen);
    chooser.value = "";
    if (roster === null) return say({ mistake: word("roster_not_json") });
    await put(roster);
  }

  return {
    edit,
    /** @param {KnownHub} hub */
    draw({ roster, boards }) {
      const fitted = boards.filter((board) => board.uid !== null).length;
      const link = html`<a class="like-button" href=${file.addressOf(roster)} download="roster.json">${word("roster_export")}</a>`;
      return html`<section class="card roster-card">
        <h2>${word("roster_title")}</h2>
        <p class="hint" data-is="roster-count">${counted(roster.rows.length, boards.length, fitted)}</p>
        <div class="row">
          ${boards.length > 0 ? link : nothing}
          <label class="like-button"><span>${word("roster_import")}</span><input class="only-spoken" type="file" accept="application/json,.json" data-is="roster-import" @change=${take}></label>
          <button type="button" @click=${edit}>${word(boards.length > 0 ? "roster_edit" : "roster_new")}</button>
        </div>
        ${form.draw()}
        <p class="mistake" data-is="roster-mistake" role="alert">${said.mistake}</p>
        <p class="well" data-is="roster-well" role="status">${said.well}</p>
      </section>`;
    },
  };
}
