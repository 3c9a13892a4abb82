// When the game will probably end, by the time of this place.

import { forecastWall } from "../forecast.js";
import { spokenLanguage, word } from "../words.js";
import { dayTimeText } from "./event.js";

const ROUNDED_MS = 300_000; // nobody should read a range as a promise

export function forecast() {
  let shown = "";
  return {
    /**
     * Called with each frame; it changes the page with each step of the range.
     * @param {Api.Picture} picture
     * @param {number} coreNow
     */
    frame(picture, coreNow) {
      const end = picture.rate === 1 ? forecastWall(picture, coreNow) : null;
      const [from, to] = end === null ? [0, 0] : [Math.floor(end.earliest / ROUNDED_MS) * ROUNDED_MS, Math.ceil(end.latest / ROUNDED_MS) * ROUNDED_MS];
      const said = `${spokenLanguage()} ${from} ${to}`;
      if (said === shown) return;
      shown = said;
      const text = end === null ? "" : word("forecast_end", { from: dayTimeText(from), to: dayTimeText(to) });
      for (const place of document.querySelectorAll('[data-shows="forecast"]')) place.textContent = text;
    },
  };
}
