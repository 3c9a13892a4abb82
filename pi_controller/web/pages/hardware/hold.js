// Whether the test is on, and the way in and out of it.

import { make, part, setData, setText, show } from "../dom.js";
import { word } from "../words.js";

const SAID = {
  idle: ["hwIdle", "hwIdleHelp"],
  asking: ["hwAsking", "hwIdleHelp"],
  held: ["hwHeld", "hwHeldHelp"],
  refused: ["hwRefused", "hwIdleHelp"],
  over: ["hwOver", "hwIdleHelp"],
};

export function holdCard(line) {
  for (const name of ["hold-begin", "hold-take", "hold-end"]) part(name).type = "button";
  part("hold-begin").addEventListener("click", () => line.open());
  part("hold-take").addEventListener("click", () => line.open({ take: true }));
  part("hold-end").addEventListener("click", () => line.close());

  return {
    take({ state, reasons = [] }) {
      setData(part("hold"), "state", state);
      const [title, help] = SAID[state].map((key) => word(key));
      setText(part("hold-title"), title);
      setText(part("hold-help"), help);
      part("hold-reasons").replaceChildren(...reasons.map((reason) => make("li", "", reason)));
      setText(part("hold-begin"), word(state === "refused" ? "hwAgain" : "hwBegin"));
      show(part("hold-begin"), state !== "held");
      part("hold-begin").disabled = state === "asking";
      show(part("hold-take"), state === "refused");
      show(part("hold-end"), state === "held");
    },
  };
}
