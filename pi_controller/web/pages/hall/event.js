// The event's name and logo, wherever the hall screen has a place for them, and the time of day.

import { make } from "../dom.js";
import { spokenLanguage } from "../words.js";

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

/** Hours and minutes as the spoken language writes them; called with each frame, it changes the page once a minute. */
export function timeOfDay() {
  let minute = -1;
  let language = "";
  return () => {
    const now = new Date();
    if (now.getMinutes() === minute && spokenLanguage() === language) return;
    [minute, language] = [now.getMinutes(), spokenLanguage()];
    const text = now.toLocaleTimeString(language === "en" ? "en-GB" : language, { hour: "2-digit", minute: "2-digit" });
    for (const place of places("time")) place.textContent = text;
  };
}
