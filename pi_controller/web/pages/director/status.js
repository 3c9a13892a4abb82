// Whether everything is on the disk, how the parts are, and the full seal of the dice.

import { make, part, setText, symbol } from "../dom.js";
import { groupedHex } from "../reading.js";
import { word } from "../words.js";

export function statusCard() {
  return {
    /** @param {Api.Picture} picture */
    take(picture) {
      const saved = picture.saved_seq >= picture.seq;
      setText(part("saved"), word(saved ? "saved" : "saving"));
      part("saved").dataset.saved = String(saved);
      const { level, messages } = picture.health;
      const lines = messages.length > 0 ? messages : [word(`health_${level}`)];
      part("health").replaceChildren(
        ...lines.map((text) => make("li", level, [symbol(level === "ok" ? "seal" : "warning"), make("span", "", text)])),
      );
      part("health-line").dataset.level = level;
      part("health-line").replaceChildren(...(level === "ok" ? [] : [symbol("warning"), make("span", "", lines[0])]));
      setText(part("seal"), groupedHex(picture.commitment));
    },
  };
}
