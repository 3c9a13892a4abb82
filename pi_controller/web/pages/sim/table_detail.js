// One virtual table enlarged, with all its fault switches.

import { make, part, setText } from "../dom.js";
import { word } from "../words.js";
import { TableView, tableName } from "./table_view.js";

// A switch does one thing when it is off and another when it is on; a bare deed has no state.
const SWITCHES = [
  { key: "vtSwitchCut", is: (table) => table.cut_before, on: "cut", off: "mend" },
  { key: "vtSwitchHalt", is: (table) => !table.alive, on: "halt", off: "revive" },
  { key: "vtSwitchBabble", is: (table) => table.babbling, on: "babble", off: "hush" },
];
const DEEDS = ["reboot", "duplicate"];

/** The dialog; `open(uid)` shows a table, `take(tables)` keeps it up to date. */
export function tableDetail(hands) {
  const dialog = part("vt-detail");
  const close = part("vt-detail-close");
  let shown = null;
  let view = null;
  let switches = [];

  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  dialog.addEventListener("close", () => {
    shown = view = null;
    part("vt-detail-picture").replaceChildren();
  });

  function makeSwitch({ key, is, on, off }) {
    const button = make("button", "toggle", word(key));
    button.type = "button";
    button.dataset.fault = on;
    button.addEventListener("click", () => hands.do(is(shown) ? off : on, { uid: shown.uid }));
    return { button, is };
  }

  function makeDeed(deed) {
    const button = make("button", "", word(`vtDeed_${deed}`));
    button.type = "button";
    button.dataset.fault = deed;
    button.addEventListener("click", () => hands.do(deed, { uid: shown.uid }));
    return button;
  }

  function draw() {
    view.draw(shown);
    for (const { button, is } of switches) button.setAttribute("aria-pressed", String(is(shown)));
  }

  return {
    open(table) {
      shown = table;
      view = new TableView(table, hands, make("span", "vt-uid", table.uid));
      view.element.classList.add("large");
      setText(part("vt-detail-title"), word("vtTable", { table: tableName(table) }));
      part("vt-detail-picture").replaceChildren(view.element);
      switches = SWITCHES.map(makeSwitch);
      part("vt-detail-faults").replaceChildren(...switches.map(({ button }) => button), ...DEEDS.map(makeDeed));
      draw();
      dialog.showModal();
    },
    /** The newest tables, by uid. */
    take(tables) {
      if (shown === null) return;
      const newest = tables.get(shown.uid);
      if (newest === undefined) return dialog.close();
      if (newest === shown) return;
      shown = newest;
      draw();
    },
  };
}
