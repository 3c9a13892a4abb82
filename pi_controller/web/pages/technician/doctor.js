// What the bus doctor says, on top of everything.

import { make, part, setData, setText, show, symbol } from "../dom.js";
import { word } from "../words.js";

/** @import { KnownHub } from "../tables/hub.js" */

const MOST_SEEN = 4; // so many sentences leave the map in sight; the others are folded away

/** @param {string} glyph */
function sentence(glyph) {
  return (/** @type {string} */ text) => make("li", "", [symbol(glyph), make("span", "", text)]);
}

export function doctorCard() {
  /** @type {string | null} */
  let said = null;
  return {
    /** @param {KnownHub} hub */
    take({ snapshot }) {
      const troubles = [...snapshot.segments.map((segment) => segment.sentence).filter((text) => text !== null), ...snapshot.doctor];
      show(part("doctor-card"), snapshot.segments.length > 0 || troubles.length > 0);
      const text = troubles.join("\n");
      if (text === said) return;
      said = text;
      setData(part("doctor-card"), "well", String(troubles.length === 0));
      const lines = troubles.length > 0 ? troubles : [word("doctorWell")];
      const items = lines.map(sentence(troubles.length > 0 ? "warning" : "seal"));
      part("doctor").replaceChildren(...items.slice(0, MOST_SEEN));
      part("doctor-rest").replaceChildren(...items.slice(MOST_SEEN));
      const more = items.length - MOST_SEEN;
      show(part("doctor-more"), more > 0);
      setText(part("doctor-more-words"), more > 0 ? word("doctorMore", { n: more }) : "");
    },
  };
}
