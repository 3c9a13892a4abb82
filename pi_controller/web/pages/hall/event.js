// The event's name and logo, wherever the hall screen has a place for them, and the time of day.

import { systemTime } from "../clock.js";
import { make } from "../dom.js";
import { spokenLanguage } from "../words.js";

const MS_PER_MIN = 60_000;

/** @param {"event" | "time"} shown */
const places = (shown) => document.querySelectorAll(`[data-shows="${shown}"]`);

/** @param {Api.EventView} event */
function content(event) {
  /** @type {HTMLElement[]} */
  const parts = [];
  if (event.logo) {
    const logo = make("img", "event-logo");
    [logo.src, logo.alt] = ["/event/logo", event.name];
    logo.addEventListener("error", () => logo.remove());
    parts.push(logo);
  }
  if (event.name !== "") parts.push(make("span", "event-name", event.name));
  return parts;
}

export function eventHead() {
  let shown = "";
  return {
    /** @param {Api.Picture} picture */
    take({ event }) {
      const said = JSON.stringify(event);
      if (said === shown) return;
      shown = said;
      const [name, line] = event.colours ?? [];
      const style = document.documentElement.style;
      for (const [property, colour] of /** @type {const} */ ([["--event-name", name], ["--event-line", line]])) {
        if (colour === undefined) style.removeProperty(property);
        else style.setProperty(property, colour);
      }
      for (const place of places("event")) place.replaceChildren(...content(event));
    },
  };
}

/**
 * The time of day of a moment as the spoken language writes it, hours and minutes.
 * @param {number} wallMs
 */
export function dayTimeText(wallMs) {
  return new Date(wallMs).toLocaleTimeString(spokenLanguage() === "en" ? "en-GB" : spokenLanguage(), { hour: "2-digit", minute: "2-digit" });
}

/** Hours and minutes as the spoken language writes them; called with each frame, it changes the page once a minute. */
export function timeOfDay() {
  let minute = -1;
  let language = "";
  return () => {
    const now = Math.floor(systemTime.wall() / MS_PER_MIN);
    if (now === minute && spokenLanguage() === language) return;
    [minute, language] = [now, spokenLanguage()];
    const text = dayTimeText(now * MS_PER_MIN);
    for (const place of places("time")) place.textContent = text;
  };
}
