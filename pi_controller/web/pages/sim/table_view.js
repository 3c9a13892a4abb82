// One virtual table seen from above: Moon's player sits at the top and reads from there, Sun's at the bottom.

import { make, setText, symbol } from "../dom.js";
import { word } from "../words.js";
import { drawBits } from "./oled.js";

/** @import { Hands } from "./hands.js" */

const TROUBLES = /** @type {const} */ (["vtHalted", "vtCut", "vtBabbling"]);
const BRIGHTEST = 255;
const BLANK = { width: 128, height: 64, on: false, contrast: 0, bits: "" };

/**
 * How a table is called: its segment and its place on the cable.
 * @param {Sim.TablePicture} table
 */
export function tableName({ segment, position }) {
  return `${segment}/${String(position).padStart(2, "0")}`;
}

/**
 * @param {HTMLElement} element
 * @param {number} level
 */
function setLevel(element, level) {
  const part = Math.sqrt(level / BRIGHTEST).toFixed(2); // an eye sees a lamp at a quarter of its power as half as bright
  if (element.style.getPropertyValue("--level") !== part) element.style.setProperty("--level", part);
}

/** One player's side: display, side lamp, claim button with its lamp, and the helper that holds it long enough. */
class SideView {
  /**
   * @param {"moon" | "sun"} side
   * @param {string} name
   * @param {Hands} hands
   * @param {string} uid
   */
  constructor(side, name, hands, uid) {
    this.side = side;
    const body = () => ({ uid, side });
    const said = { table: name, side: word(side) };
    this.canvas = make("canvas", "vt-oled");
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", word("vtDisplay", said));
    Object.assign(this.canvas, { width: BLANK.width, height: BLANK.height });
    this.lamp = make("span", `vt-lamp ${side}`, [symbol(side)]);
    this.claim = make("button", `vt-claim ${side}`, [make("span", "vt-cap")]);
    this.claim.setAttribute("aria-label", word("vtClaim", said));
    this.claim.title = word("vtClaimHint");
    hands.hold(this.claim, body);
    this.helper = make("button", "vt-hold", word("vtHold"));
    this.helper.type = "button";
    this.helper.setAttribute("aria-label", word("vtHoldLong", said));
    this.helper.addEventListener("click", () => hands.do("hold", body()));
    const reach = make("div", "vt-reach", [this.lamp, this.claim, this.helper]);
    this.element = make("div", `vt-side ${side}`, side === "moon" ? [reach, this.canvas] : [this.canvas, reach]);
  }

  /** @param {Sim.TablePicture} table */
  draw(table) {
    drawBits(this.canvas, table.displays.find((display) => display.side === this.side) ?? BLANK);
    setLevel(this.lamp, table.lamps[this.side]);
    setLevel(this.claim, table.lamps[`claim_${this.side}`]);
  }
}

/**
 * What is wrong with a table, in the order of weight: keys of the words.
 * @param {Sim.TablePicture} table
 */
export function troublesOf(table) {
  const troubles = { vtHalted: !table.alive, vtCut: table.cut_before, vtBabbling: table.babbling };
  return TROUBLES.filter((key) => troubles[key]);
}

/** The picture of a table; `middle` is what stands between the two displays. Call `draw` when it is seen. */
export class TableView {
  /**
   * @param {Sim.TablePicture} table
   * @param {Hands} hands
   * @param {HTMLElement} middle
   */
  constructor(table, hands, middle) {
    const name = tableName(table);
    const [moon, sun] = [new SideView("moon", name, hands, table.uid), new SideView("sun", name, hands, table.uid)];
    this.sides = [moon, sun];
    this.trouble = make("span", "vt-trouble");
    this.element = make("div", "vt", [moon.element, make("div", "vt-middle", [middle, this.trouble]), sun.element]);
  }

  /** @param {Sim.TablePicture} table */
  draw(table) {
    for (const side of this.sides) side.draw(table);
    const troubles = troublesOf(table);
    setText(this.trouble, troubles.map((key) => word(key)).join(", "));
    this.element.classList.toggle("halted", !table.alive);
    this.element.classList.toggle("cut", table.cut_before);
    this.element.classList.toggle("babbling", table.babbling);
  }
}
