// Walking a row: which board is to be pressed now, in letters that are read at arm's length, and how far it has got.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { once } from "../components/actions.js";
import { options } from "../components/list.js";
import { part } from "../dom.js";
import { word } from "../words.js";

/**
 * @import { TableActions } from "../technician.js"
 * @import { KnownHub } from "../tables/hub.js"
 */

const BUZZ_MS = 80;

/**
 * @param {Api.EnrolmentView} walk
 * @param {Api.Board[]} boards
 * @param {TableActions} actions
 */
function walkBody({ row, done, next_board: next }, boards, actions) {
  const step = (/** @type {Api.Board} */ { name }) => html`<li class=${done.includes(name) ? "done" : name === next ? "now" : ""} title=${name}></li>`;
  return html`
    <p class="walk-row">${word("enrol_row_is", { row })}</p>
    <div class="walk-call">
      <p class="walk-press">${word("enrol_press")}</p>
      <p class="walk-board" data-is="walk-board" .style=${`--letters: ${next.length}`}>${next}</p>
      <p class="walk-now">${word("enrol_now")}</p>
    </div>
    <p class="walk-last">${done.length > 0 ? word("enrol_last", { board: done.at(-1) ?? "" }) : ""}</p>
    <ol class="walk-steps">${boards.map(step)}</ol>
    <p class="walk-progress">${word("enrol_progress", { done: done.length, all: boards.length })}</p>
    <button type="button" class="walk-stop" @click=${once(() => actions.do("stop_enrolment"))}>${word("enrol_stop")}</button>`;
}

/**
 * The walk that goes on, over everything else; a press that has come is felt.
 * @param {TableActions} actions
 */
export function walkView(actions) {
  let felt = 0;
  return (/** @type {KnownHub | null} */ hub) => {
    const walk = hub?.snapshot.enrolment ?? null;
    const now = walk?.done.length ?? 0;
    if (now > felt && navigator.userActivation?.hasBeenActive) navigator.vibrate?.(BUZZ_MS);
    felt = now;
    const boards = hub?.roster.rows.find(({ name }) => name === walk?.row)?.boards ?? [];
    document.body.classList.toggle("walking", walk !== null);
    return html`<section class="walk" data-is="walk" aria-live="polite" ?hidden=${walk === null}>${walk === null ? nothing : walkBody(walk, boards, actions)}</section>`;
  };
}

/**
 * Where a walk is to begin.
 * @param {TableActions} actions
 * @param {() => void} redraw
 */
export function enrolmentCard(actions, redraw) {
  /** @type {string | null} */
  let row = null; // null: the first one

  function choose() {
    row = part("enrol-row").value;
    redraw();
  }

  function start() {
    const from = part("enrol-from").value;
    return actions.do("enrol", { row: part("enrol-row").value, ...(from === "" ? {} : { board: from }) });
  }

  return (/** @type {KnownHub} */ { roster: { rows }, snapshot }) => {
    const off = rows.length === 0 || snapshot.enrolment !== null;
    const { boards } = rows.find(({ name }) => name === row) ?? rows[0] ?? { boards: [] };
    /** @type {[string, string][]} */
    const starts = boards.map(({ name }) => [name, name]);
    return html`<section class="card enrol-card">
      <h2>${word("enrol_title")}</h2>
      <p class="hint">${word("enrol_help")}</p>
      <div class="fields">
        <label><span>${word("enrol_row")}</span><select data-is="enrol-row" ?disabled=${off} @change=${choose}>${options(rows.map(({ name }) => [name, word("row", { row: name })]))}</select></label>
        <label><span>${word("enrol_from")}</span><select data-is="enrol-from" ?disabled=${off}>${options([["", word("enrol_from_first")], ...starts])}</select></label>
        <button type="button" class="strong" data-is="enrol-start" ?disabled=${off} @click=${once(start)}>${word("enrol_start")}</button>
      </div>
    </section>`;
  };
}
