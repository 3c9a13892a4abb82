// The roster: export, import, and drawing one up.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { postJson } from "../post.js";
import { word } from "../words.js";
import { RosterForm } from "./roster_form.js";

/** @import { KnownHub, TablesHub } from "../tables/hub.js" */

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

/**
 * @param {TablesHub} hub
 * @param {() => void} redraw
 */
export function rosterCard(hub, redraw) {
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

  const form = new RosterForm({ put, say, redraw });
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
