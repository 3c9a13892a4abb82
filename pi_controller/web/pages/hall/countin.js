// The 3-2-1 before the start and after a pause.

import { make, part, setData, setText, startAnew } from "../dom.js";
import { clockMs, countInText } from "../reading.js";
import { NOBODY, dueSeat } from "../seats.js";
import { word } from "../words.js";
import { whereChips } from "./pause.js";
import { beginsChips } from "./seat.js";

export function countinScene() {
  return {
    /** @param {Api.Picture} picture */
    take(picture) {
      const start = picture.phase === "ready";
      const due = dueSeat(picture);
      setData(part("countin"), "colour", (due ?? NOBODY).colour);
      setText(part("countin-title"), word(start ? "starts_in" : "goes_on"));
      const then = part("countin-then");
      if (start) return then.replaceChildren(...beginsChips(picture));
      then.replaceChildren(...whereChips(picture), make("span", "chip", word("seconds_left", { seconds: clockMs(picture, picture.as_of_ms) / 1_000 })));
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
      startAnew(digit);
    },
  };
}
