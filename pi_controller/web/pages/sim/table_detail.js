// One virtual table enlarged, with all its fault switches.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { part } from "../dom.js";
import { word } from "../words.js";
import { paint, tableName, tableView } from "./table_view.js";

/**
 * @import { WordKey } from "../words.js"
 * @import { Hands } from "./hands.js"
 */

// A switch does one thing when it is off and another when it is on; a bare action has no state. Faults of the wires are
// one action with a value, ohms or 1, which another value undoes.
/** @type {{ key: WordKey, is: (table: Sim.TablePicture) => boolean, on: string, off: string }[]} */
const SWITCHES = [
  { key: "virtual_switch_cut", is: (table) => table.cut_before, on: "cut", off: "mend" },
  { key: "virtual_switch_halt", is: (table) => !table.alive, on: "halt", off: "revive" },
  { key: "virtual_switch_babble", is: (table) => table.babbling, on: "babble", off: "hush" },
];
/** @type {{ key: WordKey, fault: Sim.TablePicture["wires"][number], value: number, undone?: number }[]} */
const WIRES = [
  { key: "virtual_switch_contact", fault: "contact", value: 2 },
  { key: "virtual_switch_one_wire", fault: "one_wire", value: 1 },
  { key: "virtual_switch_plug", fault: "plug", value: 5 },
  { key: "virtual_switch_spare", fault: "spare", value: 1 },
  { key: "virtual_switch_dead_supply", fault: "dead_supply", value: 1 },
  { key: "virtual_switch_terminator", fault: "terminator", value: 0, undone: 1 },
];
const ACTIONS = /** @type {const} */ (["reboot", "duplicate"]);

/**
 * The dialog; `open(table)` shows a table, `take(tables)` keeps it up to date.
 * @param {Hands} hands
 * @param {() => void} redraw
 */
export function tableDetail(hands, redraw) {
  /** @type {Sim.TablePicture | null} */
  let shown = null;

  /** @param {Sim.TablePicture | null} table */
  function show(table) {
    shown = table;
    redraw();
    if (shown !== null) paint(part("vt-detail"), shown);
  }

  /** @param {Sim.TablePicture} table */
  const faults = (table) => html`<div class="grid">
    ${SWITCHES.map(({ key, is, on, off }) => html`<button type="button" class="toggle" data-fault=${on} aria-pressed=${is(table)} @click=${() => hands.do(is(table) ? off : on, { uid: table.uid })}>${word(key)}</button>`)}
    ${WIRES.map(({ key, fault, value, undone = 0 }) => html`<button type="button" class="toggle" data-fault=${fault} aria-pressed=${table.wires.includes(fault)} @click=${() => hands.do(fault, { uid: table.uid, value: table.wires.includes(fault) ? undone : value })}>${word(key)}</button>`)}
    ${ACTIONS.map((action) => html`<button type="button" data-fault=${action} @click=${() => hands.do(action, { uid: table.uid })}>${word(`virtual_action_${action}`)}</button>`)}
  </div>`;

  return {
    /** @param {Sim.TablePicture} table */
    open(table) {
      show(table);
      part("vt-detail").showModal();
    },
    /**
     * The newest tables, by uid.
     * @param {Map<string, Sim.TablePicture>} tables
     */
    take(tables) {
      const newest = shown === null ? null : (tables.get(shown.uid) ?? null);
      if (newest === shown) return;
      if (newest === null) part("vt-detail").close();
      else show(newest);
    },
    draw() {
      const close = () => part("vt-detail").close();
      const beside = (/** @type {Event} */ { target, currentTarget }) => target === currentTarget && close();
      return html`<dialog class="vt-detail" data-is="vt-detail" aria-labelledby="vt-detail-title" @click=${beside} @close=${() => show(null)}>
        <header>
          <h2 id="vt-detail-title">${shown === null ? "" : word("virtual_table", { table: tableName(shown) })}</h2>
          <button type="button" class="plain" aria-label=${word("close")} @click=${close}>×</button>
        </header>
        <div class="vt-detail-picture">${shown === null ? nothing : tableView(shown, { hands, middle: html`<span class="vt-uid">${shown.uid}</span><span class="vt-supply">${word("volts", { volts: shown.supply_v })}</span>`, large: true })}</div>
        ${shown === null ? nothing : faults(shown)}
      </dialog>`;
    },
  };
}
