// A roll: its dice with drawn pips, and what they mean.

import { html, nothing, svg } from "../vendor/lit-html/lit-html.js";
import { FACES, PLACES } from "../dice.js";
import { word } from "../words.js";
import { symbol } from "./symbol.js";

/** @param {number} pips */
function die(pips) {
  const pip = (/** @type {[string, [number, number]]} */ [place, [x, y]]) =>
    svg`<circle cx=${x} cy=${y} r="10" class=${FACES[pips]?.includes(place) ? "on" : nothing}></circle>`;
  return html`<svg class="die" viewBox="0 0 100 100" role="img" aria-label=${word("die", { pips })}>
    <rect x="2" y="2" width="96" height="96" rx="20"></rect>${Object.entries(PLACES).map(pip)}</svg>`;
}

/**
 * The dice of a picture with their sum, or, in a robber phase, the hexagon to which the robber moves: its number, or the desert.
 * Nothing before the first roll.
 * @param {Pick<Api.Picture, "dice" | "phase" | "robber_target" | "sum">} picture
 */
export function roll(picture) {
  if (picture.dice === null) return nothing;
  if (picture.phase !== "robber") return html`${picture.dice.map(die)}<strong>${picture.sum}</strong>`;
  const { robber_target: target } = picture;
  return html`${picture.dice.map(die)}<span class="moves-to" aria-hidden="true">→</span>${target === "desert" ? symbol("desert") : html`<strong class="hexagon">${target}</strong>`}`;
}
