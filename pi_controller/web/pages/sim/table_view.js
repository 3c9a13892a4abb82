// One virtual table seen from above: Moon's player sits at the top and reads from there, Sun's at the bottom.

import { html } from "../vendor/lit-html/lit-html.js";
import { symbol } from "../components/symbol.js";
import { word } from "../words.js";
import { drawBits } from "./oled.js";

/**
 * @import { Hands } from "./hands.js"
 * @typedef {{ hands: Hands, middle: unknown, reachable?: boolean, large?: boolean }} View
 */

const BRIGHTEST = 255;
const BLANK = { width: 128, height: 64, on: false, contrast: 0, bits: "" };

/**
 * How a table is called: its segment and its place on the cable, as its board is in a roster of virtual tables.
 * @param {Sim.TablePicture} table
 */
export function tableName({ segment, position }) {
  return `${segment}${position}`;
}

/**
 * The style of a lamp; an eye sees one at a quarter of its power as half as bright.
 * @param {number} level
 */
const lit = (level) => `--level: ${Math.sqrt(level / BRIGHTEST).toFixed(2)}`;

/**
 * One player's side: display, side lamp, claim button with its lamp, and the helper that holds it long enough.
 * @param {Sim.TablePicture} table
 * @param {"moon" | "sun"} side
 * @param {View} view
 */
function sideView(table, side, { hands, reachable = true }) {
  const said = { table: tableName(table), side: word(side) };
  const body = { uid: table.uid, side };
  const claim = { look: `vt-claim ${side}`, label: word("virtual_claim", said), hint: word("virtual_claim_hint"), reachable, style: lit(table.lamps[`claim_${side}`]), body };
  const display = html`<canvas class="vt-oled" data-side=${side} role="img" aria-label=${word("virtual_display", said)} width=${BLANK.width} height=${BLANK.height}></canvas>`;
  const reach = html`<div class="vt-reach">
    <span class="vt-lamp ${side}" .style=${lit(table.lamps[side])}>${symbol(side)}</span>
    ${hands.button(html`<span class="vt-cap"></span>`, claim)}
    <button type="button" class="vt-hold" aria-label=${word("virtual_hold_long", said)} tabindex=${reachable ? 0 : -1} @click=${() => hands.do("hold", body)}>${word("virtual_hold")}</button>
  </div>`;
  return html`<div class="vt-side ${side}">${side === "moon" ? [reach, display] : [display, reach]}</div>`;
}

/**
 * The picture of a table; `middle` is what stands between the two displays, `reachable` whether the Tab key stops here.
 * Its displays are painted by `paint`.
 * @param {Sim.TablePicture} table
 * @param {View} view
 */
export function tableView(table, view) {
  const troubles = [...(table.alive ? [] : [word("virtual_halted")]), ...(table.cut_before ? [word("virtual_cut")] : []), ...(table.babbling ? [word("virtual_babbling")] : []), ...(table.wires.length > 0 ? [word("virtual_wires")] : [])];
  const looks = { large: view.large ?? false, halted: !table.alive, cut: table.cut_before, babbling: table.babbling };
  return html`<div class=${["vt", ...Object.entries(looks).filter(([, on]) => on).map(([look]) => look)].join(" ")}>
    ${sideView(table, "moon", view)}
    <div class="vt-middle">${view.middle}<span class="vt-trouble">${troubles.join(", ")}</span></div>
    ${sideView(table, "sun", view)}
  </div>`;
}

/**
 * Paints the displays of a table that stands in `root`.
 * @param {HTMLElement} root
 * @param {Sim.TablePicture} table
 */
export function paint(root, { displays }) {
  for (const canvas of root.querySelectorAll("canvas")) drawBits(canvas, displays.find(({ side }) => side === canvas.dataset.side) ?? BLANK);
}
