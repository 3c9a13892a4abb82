// What the panel and the tables can be made to do: lamps, buzzer, sound, displays.

import { html, svg } from "../vendor/lit-html/lit-html.js";
import { options, symbol } from "../lib/components.js";
import { part, redraw, redrawAfter } from "../lib/dom.js";
import { told, word } from "../lib/words.js";

/** @import { Line } from "./hardware.js" */

// Lamps and test patterns as buttons; a pattern has a small likeness of what the display must show.

/** @typedef {Api.DisplayProbe["pattern"]} Pattern */

const [WIDTH, HEIGHT, SQUARE] = [64, 32, 8];

/**
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {number} height
 */
const box = (x, y, width, height) => svg`<rect x=${x} y=${y} width=${width} height=${height} fill="currentColor"></rect>`;

function checker() {
  const squares = [];
  for (let x = 0; x < WIDTH; x += SQUARE) for (let y = 0; y < HEIGHT; y += SQUARE) if ((x + y) % (2 * SQUARE) === 0) squares.push(box(x, y, SQUARE, SQUARE));
  return squares;
}

/** @type {{ [Name in Pattern]?: () => unknown }} */
const LIKENESS = {
  white: () => box(0, 0, WIDTH, HEIGHT),
  checker,
  border: () => svg`<rect x="1" y="1" width=${WIDTH - 2} height=${HEIGHT - 2} fill="none" stroke="currentColor" stroke-width="2"></rect>`,
  digits: () => svg`<text x=${WIDTH / 2} y="23" fill="currentColor" text-anchor="middle" font-size="19" font-weight="700">0123</text>`,
};

/**
 * Buttons for these patterns; `choose(pattern)` on a click.
 * @param {readonly Pattern[]} patterns
 * @param {{ chosen: Pattern | null, off: boolean, choose: (pattern: Pattern) => unknown }} choice
 */
function patternButtons(patterns, { chosen, off, choose }) {
  return patterns.map((pattern) => html`<button type="button" class="pattern" data-pattern=${pattern} aria-pressed=${pattern === chosen} ?disabled=${off} @click=${() => redrawAfter(choose(pattern))}>
    <svg class="likeness" viewBox="0 0 ${WIDTH} ${HEIGHT}" aria-hidden="true">${LIKENESS[pattern]?.()}</svg><span>${word(`hardware_pattern_${pattern}`)}</span></button>`);
}

/**
 * A lamp that is switched by pressing it.
 * @param {{ lamp: string, text: string, sign: string, lit: boolean, off: boolean, turn: (lit: boolean) => unknown }} lamp
 */
function lampButton({ lamp, text, sign, lit, off, turn }) {
  return html`<button type="button" class="lamp" data-lamp=${lamp} aria-pressed=${lit} ?disabled=${off} @click=${() => redrawAfter(turn(!lit))}>${symbol(sign)}<span>${text}</span></button>`;
}

// What the panel can be made to do: lamps, buzzer, sound, display.

/** @typedef {(typeof LAMPS)[number]} Lamp */

const LAMPS = /** @type {const} */ (["sun", "moon", "pause"]);
const BUZZES_MS = [200, 1_000];
const SOUND_MS = 1_000;
/** @type {readonly Pattern[]} */
const PATTERNS = ["white", "black", "checker", "border", "digits", "none"];

/** @param {Line} line */
export function outputsCard(line) {
  /** @type {Set<Lamp>} */
  const lit = new Set();
  /** @type {Pattern | null} */
  let chosen = null;
  let mistake = "";

  /**
   * Does it, says what went wrong, and resolves with whether it was done.
   * @param {Api.BuzzerProbe | Api.DisplayProbe | Api.LampProbe | Api.SoundProbe} probe
   */
  async function give(probe) {
    const { error = "", result = null } = await line.probe(probe);
    const sentence = result !== null && "sentence" in result ? told(result.sentence, result.sentence_key) : null;
    mistake = error || (sentence ?? "");
    return error === "";
  }

  /**
   * @param {Lamp} lamp
   * @param {boolean} on
   */
  async function turn(lamp, on) {
    const done = await give({ do: "lamp", lamp, lit: on });
    if (done && on) lit.add(lamp);
    else if (done) lit.delete(lamp);
  }

  /** @param {Pattern} pattern */
  async function choose(pattern) {
    if (await give({ do: "display", pattern })) chosen = pattern === "none" ? null : pattern;
  }

  /**
   * @param {string} text
   * @param {Api.BuzzerProbe | Api.SoundProbe} probe
   */
  const tone = (text, probe) => html`<button type="button" ?disabled=${!line.held} @click=${() => redrawAfter(give(probe))}>${text}</button>`;

  return {
    /** The test begins or is over: everything is as usual. */
    reset() {
      lit.clear();
      [chosen, mistake] = [null, ""];
    },
    draw() {
      const off = !line.held;
      return html`<section class="card outputs-card">
        <h2>${word("hardware_panel")}</h2>
        <div class="lamps">${LAMPS.map((lamp) => lampButton({ lamp, text: word(`hardware_lamp_${lamp}`), sign: lamp, lit: lit.has(lamp), off, turn: (on) => turn(lamp, on) }))}</div>
        <h3>${word("hardware_tones")}</h3>
        <div class="row">${BUZZES_MS.map((ms) => tone(word("hardware_buzz", { seconds: ms / 1_000 }), { do: "buzzer", ms }))}${tone(word("hardware_sound"), { do: "sound", ms: SOUND_MS })}</div>
        <h3>${word("hardware_display")}</h3>
        <div class="patterns" data-is="patterns">${patternButtons(PATTERNS, { chosen, off, choose })}</div>
        <p class="mistake" data-is="outputs-mistake" role="alert">${mistake}</p>
      </section>`;
    },
  };
}

// What the tables can be made to do, one or all: lamps, displays, names; and their claim buttons as they are pressed.

/** @typedef {(typeof TABLE_LAMPS)[number]} TableLamp */

const SECONDS = 60; // so long tables keep what they were made to show
const IDENTIFY_S = 10;
const TABLE_LAMPS = /** @type {const} */ (["sun", "moon", "sun_claim", "moon_claim"]); // in the order of the bits
/** @type {readonly Pattern[]} */
const TABLE_PATTERNS = ["white", "black", "checker", "border", "digits"]; // in the order of their numbers
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

/** @param {Line} line */
export function nodesCard(line) {
  /** @type {Set<TableLamp>} */
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
   * @param {TableLamp} lamp
   * @param {boolean} on
   */
  function turn(lamp, on) {
    if (on) lit.add(lamp);
    else lit.delete(lamp);
    return identify("lamps", { number: TABLE_LAMPS.reduce((bits, each, bit) => bits + (lit.has(each) ? 1 << bit : 0), 0) });
  }

  /** @param {Pattern} pattern */
  async function choose(pattern) {
    await identify("pattern", { number: TABLE_PATTERNS.indexOf(pattern) });
    chosen = pattern;
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

  /** What was shown ends by itself, at another table too. */
  /** @param {TableLamp} lamp */
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
        <div class="fields"><label class="wide"><span>${word("hardware_which")}</span><select data-is="which" ?disabled=${off} @input=${forget}>${options(choices(nodes))}</select></label></div>
        <h3>${word("hardware_table_lamps")}</h3>
        <div class="lamps small">${TABLE_LAMPS.map(lampOf)}</div>
        <h3>${word("hardware_table_displays")}</h3>
        <div class="patterns">${patternButtons(TABLE_PATTERNS, { chosen, off, choose })}</div>
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
