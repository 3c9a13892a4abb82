// What the panel can be made to do: lamps, buzzer, sound, display.

import { html } from "../vendor/lit-html/lit-html.js";
import { told, word } from "../words.js";
import { lampButton, patternButtons } from "./buttons.js";

/**
 * @import { Line } from "./line.js"
 * @import { Pattern } from "./buttons.js"
 * @typedef {(typeof LAMPS)[number]} Lamp
 */

const LAMPS = /** @type {const} */ (["sun", "moon", "pause"]);
const BUZZES_MS = [200, 1_000];
const SOUND_MS = 1_000;
/** @type {readonly Pattern[]} */
const PATTERNS = ["white", "black", "checker", "border", "digits", "none"];

/**
 * @param {Line} line
 * @param {() => void} redraw
 */
export function outputsCard(line, redraw) {
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
    redraw();
  }

  /** @param {Pattern} pattern */
  async function choose(pattern) {
    if (await give({ do: "display", pattern })) chosen = pattern === "none" ? null : pattern;
    redraw();
  }

  /**
   * @param {string} text
   * @param {Api.BuzzerProbe | Api.SoundProbe} probe
   */
  function tone(text, probe) {
    const sound = async () => {
      await give(probe);
      redraw();
    };
    return html`<button type="button" ?disabled=${!line.held} @click=${sound}>${text}</button>`;
  }

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
