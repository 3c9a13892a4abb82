// Whether the test is on, and the way in and out of it.

import { make, part, setData, setText, show } from "../dom.js";
import { word } from "../words.js";

/** @import { Line, LineState } from "./line.js" */

const SAID = /** @type {const} */ ({
  idle: ["hwIdle", "hwIdleHelp"],
  asking: ["hwAsking", "hwIdleHelp"],
  held: ["hwHeld", "hwHeldHelp"],
  refused: ["hwRefused", "hwIdleHelp"],
  over: ["hwOver", "hwIdleHelp"],
});

/** @param {Line} line */
export function holdCard(line) {
  for (const button of [part("hold-begin"), part("hold-take"), part("hold-end")]) button.type = "button";
  part("hold-begin").addEventListener("click", () => line.open());
  part("hold-take").addEventListener("click", () => line.open({ take: true }));
  part("hold-end").addEventListener("click", () => line.close());

  return {
    /** @param {LineState} news */
    take({ state, reasons = [] }) {
      setData(part("hold"), "state", state);
      const [title, help] = SAID[state];
      setText(part("hold-title"), word(title));
      setText(part("hold-help"), word(help));
      part("hold-reasons").replaceChildren(...reasons.map((reason) => make("li", "", reason)));
      setText(part("hold-begin"), word(state === "refused" ? "hwAgain" : "hwBegin"));
      show(part("hold-begin"), state !== "held");
      part("hold-begin").disabled = state === "asking";
      show(part("hold-take"), state === "refused");
      show(part("hold-end"), state === "held");
    },
  };
}
