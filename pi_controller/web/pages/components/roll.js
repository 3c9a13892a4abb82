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
 * The dice of a picture with their sum, or with the robber's target; nothing before the first roll.
 * @param {Api.Picture} picture
 */
export function roll(picture) {
  if (picture.dice === null) return nothing;
  const result = picture.phase === "robber" ? picture.robber_target : picture.sum;
  return html`${picture.dice.map(die)}${result === "desert" ? symbol("desert") : html`<strong>${result}</strong>`}`;
}
