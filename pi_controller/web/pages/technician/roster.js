// The roster: export, import, and drawing one up.

import { repeat } from "../vendor/lit-html/directives/repeat.js";
import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { part, redraw, redrawAfter } from "../lib/dom.js";
import { postJson } from "../lib/feed.js";
import { word } from "../lib/words.js";

/** @import { KnownHub, TablesHub } from "../lib/hall_map.js" */

// Rows and boards as a form. A board that stays keeps its node; the controller has the last word.

/**
 * A row of the form: the row that it came from, how it was called first, and what its fields say now.
 * @typedef {{ original: Api.Row | null, first: string, name: string, boards: string, shape: string, angle: string }} RowForm
 */

const SHAPES = /** @type {const} */ (["straight", "angled", "ring"]);
const MOST_BOARDS = 99;
const [USUAL_BOARDS, USUAL_ANGLE] = [12, 30];
const UNSAID = { mistake: "", well: "" };

/**
 * @param {Api.Row | null} original
 * @param {string} name
 * @returns {RowForm}
 */
function formOf(original, name) {
  const boards = String(original?.boards.length ?? USUAL_BOARDS);
  return { original, first: name, name, boards, shape: original?.shape ?? "straight", angle: String(original?.angle || USUAL_ANGLE) };
}

/**
 * The row as it stands in the form. A row that is called otherwise now calls its boards otherwise.
 * @param {RowForm} form
 * @returns {Api.Row}
 */
function rowOf({ original, ...now }) {
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

/** @param {TablesHub} hub */
export function rosterCard(hub) {
  /** @type {RowForm[] | null} */
  let forms = null; // null while the form is closed
  /** @type {Api.Row[]} */
  let before = []; // in force when it was opened
  let said = UNSAID;

  /** @param {RowForm[] | null} changed */
  function set(changed) {
    [forms, said] = [changed, UNSAID];
  }

  /** @param {number} place of a row that has just come */
  function focus(place) {
    redraw();
    part("roster-rows").children.item(place)?.querySelector("input")?.focus();
  }

  /** Opens the form with the roster in force, or closes it. */
  function edit() {
    if (hub.roster === null) return;
    if (forms !== null) return set(null);
    before = hub.roster.rows;
    set(before.length > 0 ? before.map((row) => formOf(row, row.name)) : [formOf(null, "A")]);
    focus(0);
  }

  /**
   * A row more, called by the first letter that no row has.
   * @param {RowForm[]} rows
   */
  function add(rows) {
    const taken = rows.map(({ name }) => name);
    const name = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"].find((letter) => !taken.includes(letter)) ?? "";
    set([...rows, formOf(null, name)]);
    focus(rows.length);
  }

  /** @param {RowForm[]} rows */
  function lost(rows) {
    const kept = new Set(nodesIn(rows.map(rowOf)));
    return nodesIn(before).filter((node) => !kept.has(node)).length;
  }

  /**
   * Resolves with whether it is in force.
   * @param {Api.Roster} roster
   */
  async function put(roster) {
    const { status, reasons } = await postJson("/api/roster", roster, { unanswered: word("action_failed") });
    const done = status === "accepted";
    said = done ? { ...UNSAID, well: word("roster_imported") } : { ...UNSAID, mistake: reasons.join(" ") };
    if (done) hub.takeRoster(roster);
    return done;
  }

  /** @param {RowForm[]} changed */
  async function save(changed) {
    const rows = changed.map(rowOf);
    const names = rows.flatMap((row) => row.boards.map((board) => board.name));
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (names.length === 0) said = { ...UNSAID, mistake: word("roster_need_row") };
    else if (twice !== undefined) said = { ...UNSAID, mistake: word("roster_name_taken", { board: twice }) };
    else if (await put({ version: 1, rows })) forms = null;
  }

  async function take() {
    const [chosen] = part("roster-import").files ?? [];
    if (chosen === undefined) return;
    const roster = await readFile(chosen);
    part("roster-import").value = "";
    if (roster === null) said = { ...UNSAID, mistake: word("roster_not_json") };
    else await put(roster);
  }

  /** @param {RowForm} form */
  function line(form) {
    const note = (/** @type {Event} */ { target }) => {
      const { name, value } = /** @type {HTMLInputElement} */ (target);
      Object.assign(form, { [name]: value });
    };
    return html`<li class="roster-row" @input=${note}>
      <label><span>${word("roster_row_name")}</span><input name="name" value=${form.name} maxlength="4" required pattern="[A-Za-z0-9\\-]+" autocomplete="off"></label>
      <label><span>${word("roster_boards")}</span><input name="boards" type="number" value=${form.boards} min="1" max=${MOST_BOARDS} inputmode="numeric" required></label>
      <label><span>${word("roster_shape")}</span><select name="shape">${SHAPES.map((shape) => html`<option value=${shape} ?selected=${shape === form.shape}>${word(`shape_${shape}`)}</option>`)}</select></label>
      <label ?hidden=${form.shape !== "angled"}><span>${word("roster_angle")}</span><input name="angle" type="number" value=${form.angle} min="0" max="90" inputmode="numeric" required></label>
      <button type="button" class="plain" aria-label=${word("roster_remove_row", { row: form.first })} @click=${() => set((forms ?? []).filter((each) => each !== form))}>×</button>
    </li>`;
  }

  /** @param {RowForm[]} rows */
  function fields(rows) {
    const count = lost(rows);
    return html`<form data-is="roster-form" @submit=${() => redrawAfter(save(rows))}>
      <ol class="roster-rows" data-is="roster-rows">${repeat(rows, (row) => row, line)}</ol>
      <div class="row"><button type="button" @click=${() => add(rows)}>${word("roster_add_row")}</button><button class="strong">${word("roster_save")}</button></div>
      <p class="hint">${word("roster_keeps")}</p>
      <p class="warn" data-is="roster-loses" role="status">${count > 0 ? word("roster_loses", { count }) : ""}</p>
    </form>`;
  }

  return {
    edit,
    /** @param {KnownHub} hub */
    draw({ roster, boards }) {
      const fitted = word("roster_fitted", { count: boards.filter((board) => board.uid !== null).length });
      const counted = { rows: word("roster_rows", { count: roster.rows.length }), boards: word("roster_boards_count", { count: boards.length }), fitted };
      const link = html`<a class="like-button" href="data:application/json,${encodeURIComponent(`${JSON.stringify(roster, null, 1)}\n`)}" download="roster.json">${word("roster_export")}</a>`;
      return html`<section class="card roster-card">
        <h2>${word("roster_title")}</h2>
        <p class="hint" data-is="roster-count">${word("roster_count", counted)}</p>
        <div class="row">
          ${boards.length > 0 ? link : nothing}
          <label class="like-button"><span>${word("roster_import")}</span><input class="only-spoken" type="file" accept="application/json,.json" data-is="roster-import" @change=${() => redrawAfter(take())}></label>
          <button type="button" @click=${edit}>${word(boards.length > 0 ? "roster_edit" : "roster_new")}</button>
        </div>
        ${forms === null ? nothing : fields(forms)}
        <p class="mistake" data-is="roster-mistake" role="alert">${said.mistake}</p>
        <p class="well" data-is="roster-well" role="status">${said.well}</p>
      </section>`;
    },
  };
}
