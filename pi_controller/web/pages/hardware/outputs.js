// What the panel can be made to do: lamps, buzzer, sound, display.

import { make, part, setText, symbol } from "../dom.js";
import { word } from "../words.js";
import { patternButtons } from "./patterns.js";

/**
 * @import { Line } from "./line.js"
 * @import { Pattern } from "./patterns.js"
 */

const LAMPS = /** @type {const} */ (["sun", "moon", "pause"]);
const BUZZES_MS = [200, 1_000];
const SOUND_MS = 1_000;
/** @type {readonly Pattern[]} */
const PATTERNS = ["white", "black", "checker", "border", "digits", "none"];

/**
 * A lamp that is switched by pressing it; `onSwitch(lit)`.
 * @param {string} name
 * @param {string} text
 * @param {string} glyph
 * @param {(lit: boolean) => void} onSwitch
 */
export function lampButton(name, text, glyph, onSwitch) {
  const button = make("button", "lamp", [symbol(glyph), make("span", "", text)]);
  button.type = "button";
  button.dataset.lamp = name;
  button.setAttribute("aria-pressed", "false");
  button.addEventListener("click", () => onSwitch(button.getAttribute("aria-pressed") !== "true"));
  return button;
}

/** @param {Line} line */
export function outputsCard(line) {
  /** @param {{ error?: string, result?: Api.Buzzed | Api.Done | Api.Drawn | Api.Sounded | null }} answer */
  const say = ({ error = "", result = null }) => {
    const sentence = result !== null && "sentence" in result ? result.sentence : null;
    setText(part("outputs-mistake"), error || (sentence ?? ""));
    return error === "";
  };
  const lamps = LAMPS.map((lamp) =>
    lampButton(lamp, word(`hwLamp_${lamp}`), lamp, async (lit) => {
      if (say(await line.probe({ do: "lamp", lamp, lit }))) lamps[LAMPS.indexOf(lamp)]?.setAttribute("aria-pressed", String(lit));
    }),
  );
  part("lamps").replaceChildren(...lamps);
  /**
   * @param {string} text
   * @param {Api.BuzzerProbe | Api.SoundProbe} probe
   */
  const tone = (text, probe) => {
    const button = make("button", "", text);
    button.type = "button";
    button.addEventListener("click", async () => say(await line.probe(probe)));
    return button;
  };
  const buzzes = BUZZES_MS.map((ms) => tone(word("hwBuzz", { seconds: ms / 1_000 }), { do: "buzzer", ms }));
  part("tones").replaceChildren(...buzzes, tone(word("hwSound"), { do: "sound", ms: SOUND_MS }));
  const mark = patternButtons(part("patterns"), PATTERNS, async (pattern) => {
    if (say(await line.probe({ do: "display", pattern }))) mark(pattern === "none" ? null : pattern);
  });

  return {
    /** The test begins or is over: everything is as usual. */
    reset() {
      say({});
      mark(null);
      for (const lamp of lamps) lamp.setAttribute("aria-pressed", "false");
    },
  };
}
