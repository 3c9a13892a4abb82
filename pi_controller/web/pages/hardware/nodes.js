// What the tables can be made to do, one or all: lamps, displays, names; and their claim buttons as they are pressed.

import { make, part, setText } from "../dom.js";
import { word } from "../words.js";
import { lampButton } from "./outputs.js";
import { patternButtons } from "./patterns.js";

/**
 * @import { Line } from "./line.js"
 * @import { Pattern } from "./patterns.js"
 */

const SECONDS = 60; // so long tables keep what they were made to show
const IDENTIFY_S = 10;
const LAMPS = /** @type {const} */ (["sun", "moon", "sun_claim", "moon_claim"]); // in the order of the bits
/** @type {readonly Pattern[]} */
const PATTERNS = ["white", "black", "checker", "border", "digits"]; // in the order of their numbers
const LISTED = 8;

/**
 * @param {string} value
 * @param {string} text
 */
function option(value, text) {
  return Object.assign(make("option", "", text), { value });
}

/** @param {Api.TablePress} press */
function pressLine(press) {
  const told = press.acknowledged_ms === null ? word("hwUnacknowledged") : word("hwAcknowledged", { ms: Math.round(press.acknowledged_ms - press.at_ms) });
  return make("li", press.acknowledged_ms === null ? "" : "well", [make("b", "", word("hwPressed", { board: press.board ?? press.uid, side: word(press.side) })), make("span", "hint", told)]);
}

/**
 * @param {Line} line
 * @param {{ snapshot: Pick<Api.TablesSnapshot, "nodes"> }} hub
 */
export function nodesCard(line, hub) {
  const lit = new Set();
  const presses = new Map();
  /** @type {number | undefined} */
  let renewing;
  const uid = () => part("which").value || null;
  /**
   * @param {Api.IdentifyProbe["what"]} what
   * @param {{ number?: number, seconds?: number }} options
   */
  const identify = (what, { number = 0, seconds = SECONDS } = {}) => line.probe({ do: "identify", uid: uid(), what, seconds, number });
  /** @param {{ error?: string }} answer */
  const say = ({ error = "" }) => setText(part("nodes-mistake"), error);

  const lamps = LAMPS.map((lamp) =>
    lampButton(lamp, word(`hwTableLamp_${lamp}`), lamp.replace("_claim", ""), async (on) => {
      if (on) lit.add(lamp);
      else lit.delete(lamp);
      say(await identify("lamps", { number: LAMPS.reduce((bits, each, bit) => bits + (lit.has(each) ? 1 << bit : 0), 0) }));
      drawLamps();
    }),
  );
  const drawLamps = () => {
    for (const [index, button] of lamps.entries()) button.setAttribute("aria-pressed", String(lit.has(LAMPS[index])));
  };
  part("table-lamps").replaceChildren(...lamps);
  const mark = patternButtons(part("table-patterns"), PATTERNS, async (pattern) => {
    say(await identify("pattern", { number: PATTERNS.indexOf(pattern) }));
    mark(pattern);
  });
  part("identify").type = part("presses").type = "button";
  part("identify").addEventListener("click", async () => say(await identify("name", { seconds: IDENTIFY_S })));

  /** @param {boolean} on */
  function watch(on) {
    part("presses").setAttribute("aria-pressed", String(on));
    clearInterval(renewing);
    const walk = async () => say(await identify("walk"));
    renewing = on ? setInterval(walk, (SECONDS * 1_000) / 2) : undefined;
    if (on) walk();
  }

  async function toggleWatch() {
    const on = part("presses").getAttribute("aria-pressed") !== "true";
    watch(on);
    if (!on) say(await identify("off", { seconds: 0 }));
  }

  part("presses").addEventListener("click", toggleWatch);

  function reset() {
    lit.clear();
    drawLamps();
    mark(null);
    watch(false);
    say({});
  }

  part("which").addEventListener("change", reset);

  return {
    reset() {
      reset();
      presses.clear();
      part("pressed").replaceChildren();
    },
    /**
     * A claim button was pressed, or its press acknowledged.
     * @param {Api.TablePress} press
     */
    press(press) {
      const key = `${press.uid} ${press.side} ${press.at_ms}`;
      presses.delete(key);
      presses.set(key, press);
      part("pressed").replaceChildren(...[...presses.values()].slice(-LISTED).reverse().map(pressLine));
    },
    /** Which tables there are, from the hall's roster and snapshot. */
    draw() {
      const nodes = hub.snapshot.nodes.toSorted((one, other) => (one.board ?? "~").localeCompare(other.board ?? "~", "en", { numeric: true }));
      const said = nodes.map((node) => `${node.uid}${node.board}`).join();
      if (part("which").dataset.said === said) return;
      part("which").dataset.said = said;
      const kept = part("which").value;
      part("which").replaceChildren(option("", nodes.length > 0 ? word("hwAll") : word("hwNoTables")), ...nodes.map((node) => option(node.uid, node.board === null ? node.uid : word("claimBoard", { board: node.board }))));
      part("which").value = nodes.some((node) => node.uid === kept) ? kept : "";
    },
  };
}
