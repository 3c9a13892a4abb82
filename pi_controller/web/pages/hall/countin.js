// The 3-2-1 before the start and after a pause.

import { make, part, setText, symbol } from "../dom.js";
import { colourOf, exactText, remainingMs, resumeInMs } from "../reading.js";
import { word } from "../words.js";
import { whereChips } from "./pause.js";
import { sideName } from "./play.js";

/** @param {string | null} first */
function beginChip(first) {
  if (first === null) return [];
  const colour = colourOf(first);
  const name = make("span", "", word("begins", { side: sideName(first) }));
  return [make("span", `chip ${colour}`, [symbol(colour === "neutral" ? "hex" : colour), name])];
}

export function countinScene() {
  return {
    /** @param {Api.Picture} picture */
    take(picture) {
      const start = picture.phase === "ready";
      setText(part("countin-title"), word(start ? "startsIn" : "goesOn"));
      const then = part("countin-then");
      if (start) {
        then.replaceChildren(...beginChip(picture.side ?? picture.next_side));
        return;
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
      const text = String(Math.max(1, Math.ceil((resumeInMs(picture, coreNow) ?? 0) / 1_000)));
      if (digit.textContent === text) return;
      digit.textContent = text;
      digit.classList.remove("beat");
      void digit.offsetWidth;
      digit.classList.add("beat");
    },
  };
}
