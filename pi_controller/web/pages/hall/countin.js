// The 3-2-1 before the start and after a pause.

import { make, part, setText } from "../dom.js";
import { countInText, exactText, remainingMs } from "../reading.js";
import { dueSeat } from "../seats.js";
import { word } from "../words.js";
import { whereChips } from "./pause.js";
import { beginsChip } from "./seat.js";

export function countinScene() {
  return {
    /** @param {Api.Picture} picture */
    take(picture) {
      const start = picture.phase === "ready";
      setText(part("countin-title"), word(start ? "startsIn" : "goesOn"));
      const then = part("countin-then");
      if (start) {
        const first = dueSeat(picture);
        return then.replaceChildren(...(first === null ? [] : [beginsChip(first)]));
      }
      const [whole, fraction] = exactText(remainingMs(picture, picture.as_of_ms));
      then.replaceChildren(...whereChips(picture), make("span", "chip", `${whole}${fraction} s`));
    },
    /**
     * @param {Api.Picture} picture
     * @param {number} coreNow
     */
    frame(picture, coreNow) {
      const digit = part("countin-digit");
      const text = countInText(picture, coreNow);
      if (digit.textContent === text) return;
      digit.textContent = text;
      digit.classList.remove("beat");
      void digit.offsetWidth;
      digit.classList.add("beat");
    },
  };
}
