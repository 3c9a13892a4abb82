// One virtual table enlarged, with all its fault switches.

import { make, part, setText } from "../dom.js";
import { word } from "../words.js";
import { TableView, tableName } from "./table_view.js";

/**
 * @import { WordKey } from "../words.js"
 * @import { Hands } from "./hands.js"
 * @typedef {(typeof SWITCHES)[number]} Fault
 */

// A switch does one thing when it is off and another when it is on; a bare deed has no state.
/** @type {{ key: WordKey, is: (table: Sim.TablePicture) => boolean, on: string, off: string }[]} */
const SWITCHES = [
  { key: "vtSwitchCut", is: (table) => table.cut_before, on: "cut", off: "mend" },
  { key: "vtSwitchHalt", is: (table) => !table.alive, on: "halt", off: "revive" },
  { key: "vtSwitchBabble", is: (table) => table.babbling, on: "babble", off: "hush" },
];
const DEEDS = /** @type {const} */ (["reboot", "duplicate"]);

/**
 * The dialog; `open(uid)` shows a table, `take(tables)` keeps it up to date.
 * @param {Hands} hands
 */
export function tableDetail(hands) {
  const dialog = part("vt-detail");
  const close = part("vt-detail-close");
  /** @type {Sim.TablePicture | null} */
  let shown = null;
  /** @type {TableView | null} */
  let view = null;
  /** @type {{ button: HTMLButtonElement, is: Fault["is"] }[]} */
  let switches = [];

  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  dialog.addEventListener("close", () => {
    shown = view = null;
    part("vt-detail-picture").replaceChildren();
  });

  /** @param {Fault} fault */
  function makeSwitch({ key, is, on, off }) {
    const button = make("button", "toggle", word(key));
    button.type = "button";
    button.dataset.fault = on;
    button.addEventListener("click", () => shown !== null && hands.do(is(shown) ? off : on, { uid: shown.uid }));
    return { button, is };
  }

  /** @param {(typeof DEEDS)[number]} deed */
  function makeDeed(deed) {
    const button = make("button", "", word(`vtDeed_${deed}`));
    button.type = "button";
    button.dataset.fault = deed;
    button.addEventListener("click", () => shown !== null && hands.do(deed, { uid: shown.uid }));
    return button;
  }

  /** @param {Sim.TablePicture} table */
  function draw(table) {
    view?.draw(table);
    for (const { button, is } of switches) button.setAttribute("aria-pressed", String(is(table)));
  }

  return {
    /** @param {Sim.TablePicture} table */
    open(table) {
      shown = table;
      view = new TableView(table, hands, make("span", "vt-uid", table.uid));
      view.element.classList.add("large");
      setText(part("vt-detail-title"), word("vtTable", { table: tableName(table) }));
      part("vt-detail-picture").replaceChildren(view.element);
      switches = SWITCHES.map(makeSwitch);
      part("vt-detail-faults").replaceChildren(...switches.map(({ button }) => button), ...DEEDS.map(makeDeed));
      draw(table);
      dialog.showModal();
    },
    /**
     * The newest tables, by uid.
     * @param {Map<string, Sim.TablePicture>} tables
     */
    take(tables) {
      if (shown === null) return;
      const newest = tables.get(shown.uid);
      if (newest === undefined) return dialog.close();
      if (newest === shown) return;
      shown = newest;
      draw(newest);
    },
  };
}
