// What the tables can be made to do, one or all: lamps, displays, names; and their claim buttons as they are pressed.

import { html } from "../vendor/lit-html/lit-html.js";
import { options } from "../components/list.js";
import { part } from "../dom.js";
import { word } from "../words.js";
import { lampButton, patternButtons } from "./buttons.js";

/**
 * @import { Line } from "./line.js"
 * @import { Pattern } from "./buttons.js"
 * @typedef {(typeof LAMPS)[number]} Lamp
 */

const SECONDS = 60; // so long tables keep what they were made to show
const IDENTIFY_S = 10;
const LAMPS = /** @type {const} */ (["sun", "moon", "sun_claim", "moon_claim"]); // in the order of the bits
/** @type {readonly Pattern[]} */
const PATTERNS = ["white", "black", "checker", "border", "digits"]; // in the order of their numbers
const LISTED = 8;

/** @param {Api.TablePress} press */
function pressLine({ board, uid, side, at_ms: at, acknowledged_ms: acknowledged }) {
  const told = acknowledged === null ? word("hardware_unacknowledged") : word("hardware_acknowledged", { ms: Math.round(acknowledged - at) });
  return html`<li class=${acknowledged === null ? "" : "well"}><b>${word("hardware_pressed", { board: board ?? uid, side: word(side) })}</b><span class="hint">${told}</span></li>`;
}

/**
 * The tables to choose from, in the order of their boards.
 * @param {Api.NodeView[]} nodes
 * @returns {[value: string, text: string][]}
 */
function choices(nodes) {
  const ordered = nodes.toSorted((one, other) => (one.board ?? "~").localeCompare(other.board ?? "~", "en", { numeric: true }));
  const all = nodes.length > 0 ? word("hardware_all") : word("hardware_no_tables");
  return [["", all], ...ordered.map(({ uid, board }) => /** @type {[string, string]} */ ([uid, board === null ? uid : word("claim_board", { board })]))];
}

/**
 * @param {Line} line
 * @param {() => void} redraw
 */
export function nodesCard(line, redraw) {
  /** @type {Set<Lamp>} */
  const lit = new Set();
  /** @type {Map<string, Api.TablePress>} */
  const presses = new Map();
  /** @type {Pattern | null} */
  let chosen = null;
  /** @type {number | undefined} */
  let renewing; // the timer while claim buttons are watched
  let mistake = "";

  /**
   * @param {Api.IdentifyProbe["what"]} what
   * @param {{ number?: number, seconds?: number }} options
   */
  async function identify(what, { number = 0, seconds = SECONDS } = {}) {
    const { error = "" } = await line.probe({ do: "identify", uid: part("which").value || null, what, seconds, number });
    mistake = error;
    redraw();
  }

  /**
   * @param {Lamp} lamp
   * @param {boolean} on
   */
  function turn(lamp, on) {
    if (on) lit.add(lamp);
    else lit.delete(lamp);
    return identify("lamps", { number: LAMPS.reduce((bits, each, bit) => bits + (lit.has(each) ? 1 << bit : 0), 0) });
  }

  /** @param {Pattern} pattern */
  async function choose(pattern) {
    await identify("pattern", { number: PATTERNS.indexOf(pattern) });
    chosen = pattern;
    redraw();
  }

  function stopWatching() {
    clearInterval(renewing);
    renewing = undefined;
  }

  function toggleWatch() {
    const watched = renewing !== undefined;
    stopWatching();
    if (watched) return identify("off", { seconds: 0 });
    renewing = setInterval(() => identify("walk"), (SECONDS * 1_000) / 2);
    return identify("walk");
  }

  function forget() {
    lit.clear();
    stopWatching();
    [chosen, mistake] = [null, ""];
  }

  /** Another table: what was shown at the one before ends by itself. */
  function chooseTable() {
    forget();
    redraw();
  }

  /** @param {Lamp} lamp */
  const lampOf = (lamp) =>
    lampButton({ lamp, text: word(`hardware_table_lamp_${lamp}`), sign: lamp.replace("_claim", ""), lit: lit.has(lamp), off: !line.held, turn: (on) => turn(lamp, on) });

  return {
    /** The test begins or is over. */
    reset() {
      presses.clear();
      forget();
    },
    /**
     * A claim button was pressed, or its press acknowledged.
     * @param {Api.TablePress} press
     */
    press(press) {
      const key = `${press.uid} ${press.side} ${press.at_ms}`;
      presses.delete(key);
      presses.set(key, press);
    },
    /** @param {Api.NodeView[]} nodes */
    draw(nodes) {
      const off = !line.held;
      return html`<section class="card nodes-card">
        <h2>${word("hardware_tables")}</h2>
        <div class="fields"><label class="wide"><span>${word("hardware_which")}</span><select data-is="which" ?disabled=${off} @change=${chooseTable}>${options(choices(nodes))}</select></label></div>
        <h3>${word("hardware_table_lamps")}</h3>
        <div class="lamps small">${LAMPS.map(lampOf)}</div>
        <h3>${word("hardware_table_displays")}</h3>
        <div class="patterns">${patternButtons(PATTERNS, { chosen, off, choose })}</div>
        <div class="row">
          <button type="button" ?disabled=${off} @click=${() => identify("name", { seconds: IDENTIFY_S })}>${word("identify")}</button>
          <button type="button" class="toggle" aria-pressed=${renewing !== undefined} ?disabled=${off} @click=${toggleWatch}>${word("hardware_presses")}</button>
        </div>
        <ol class="pressed">${[...presses.values()].slice(-LISTED).reverse().map(pressLine)}</ol>
        <p class="mistake" role="alert">${mistake}</p>
      </section>`;
    },
  };
}
