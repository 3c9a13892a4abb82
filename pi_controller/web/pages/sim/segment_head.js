// The head of a segment of virtual tables: how many there are, and how much the cable loses.

import { make, setText } from "../dom.js";
import { word } from "../words.js";

/** @import { Hands } from "./hands.js" */

const LOSSES = [0, 0.05, 0.1, 0.2, 0.5, 1];

/** @param {number} loss */
function percent(loss) {
  return word("vtPercent", { n: Math.round(loss * 100) });
}

/**
 * `element` for the page, `list` for its tables, `take(tables)` what is known of them.
 * @param {string} name
 * @param {Hands} hands
 */
export function segmentHead(name, hands) {
  const count = make("span", "vt-count");
  const chooser = make("select", "vt-loss");
  chooser.setAttribute("aria-label", word("vtLossOf", { segment: name }));
  for (const loss of LOSSES) {
    const option = make("option", "", percent(loss));
    option.value = String(loss);
    chooser.append(option);
  }
  /** @type {Sim.TablePicture[]} */
  let tables = [];
  chooser.addEventListener("change", () => hands.do("loss", { uid: tables[0]?.uid, value: Number(chooser.value) }));
  const loss = make("label", "vt-loss-label", [make("span", "", word("vtLoss")), chooser]);
  const head = make("div", "vt-head", [make("h3", "", word("segment", { name })), count, loss]);
  const list = make("ol", "vt-list");
  return {
    element: make("section", "vt-segment", [head, list]),
    list,
    /** @param {Sim.TablePicture[]} present */
    take(present) {
      tables = present;
      const [first] = present;
      if (first === undefined) return;
      const alive = present.filter((table) => table.alive).length;
      setText(count, word("vtAlive", { alive, all: present.length }));
      const said = String(first.loss);
      if (document.activeElement !== chooser && chooser.value !== said) chooser.value = said;
    },
  };
}
