// What the bus doctor says, on top of everything.

import { make, part, setData, show, symbol } from "../dom.js";
import { word } from "../words.js";

export function doctorCard() {
  let said = null;
  return {
    take({ snapshot }) {
      const troubles = [...snapshot.segments.map((segment) => segment.sentence).filter((text) => text !== null), ...snapshot.doctor];
      show(part("doctor-card"), snapshot.segments.length > 0 || troubles.length > 0);
      const text = troubles.join("\n");
      if (text === said) return;
      said = text;
      setData(part("doctor-card"), "well", String(troubles.length === 0));
      const lines = troubles.length > 0 ? troubles : [word("doctorWell")];
      const glyph = troubles.length > 0 ? "warning" : "seal";
      part("doctor").replaceChildren(...lines.map((line) => make("li", "", [symbol(glyph), make("span", "", line)])));
    },
  };
}
