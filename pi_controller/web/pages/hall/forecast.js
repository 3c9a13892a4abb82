// When the game will probably end, by the time of this place.

import { spokenLanguage, word } from "../words.js";

const MS_PER_MIN = 60_000;
const ROUNDED_MIN = 5; // nobody should read a range as a promise

/**
 * @param {number} ms from now
 * @param {(share: number) => number} round
 */
function moment(ms, round) {
  const step = ROUNDED_MIN * MS_PER_MIN;
  const language = spokenLanguage();
  return new Date(round((Date.now() + ms) / step) * step).toLocaleTimeString(language === "en" ? "en-GB" : language, { hour: "2-digit", minute: "2-digit" });
}

export function forecast() {
  return {
    /** @param {Api.Picture} picture */
    take({ forecast: seen, rate }) {
      const text = seen === null || rate !== 1 ? "" : word("forecast_end", { from: moment(seen.earliest_ms, Math.floor), to: moment(seen.latest_ms, Math.ceil) });
      for (const place of document.querySelectorAll('[data-shows="forecast"]')) place.textContent = text;
    },
  };
}
