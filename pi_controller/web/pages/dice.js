// Dice with drawn pips.

import { svgElement } from "./dom.js";

/**
 * Where a pip may be, on a die of 100 by 100.
 * @type {Record<string, [number, number]>}
 */
export const PLACES = { nw: [27, 27], w: [27, 50], sw: [27, 73], c: [50, 50], ne: [73, 27], e: [73, 50], se: [73, 73] };
/**
 * The places that show a number.
 * @type {Record<number, string[]>}
 */
export const FACES = {
  1: ["c"],
  2: ["nw", "se"],
  3: ["nw", "c", "se"],
  4: ["nw", "ne", "sw", "se"],
  5: ["nw", "ne", "c", "sw", "se"],
  6: ["nw", "w", "sw", "ne", "e", "se"],
};

/** A die without a face yet. */
export function makeDie() {
  const die = svgElement("svg", { class: "die", viewBox: "0 0 100 100", role: "img" });
  die.append(svgElement("rect", { x: 2, y: 2, width: 96, height: 96, rx: 20 }));
  for (const [place, [cx, cy]] of Object.entries(PLACES)) {
    die.append(svgElement("circle", { cx, cy, r: 10, "data-place": place }));
  }
  return die;
}

/**
 * Shows 1 to 6 pips; `label` is what a screen reader says.
 * @param {SVGElement} die
 * @param {number} pips
 * @param {string} label
 */
export function setDie(die, pips, label) {
  die.setAttribute("aria-label", label);
  if (die.dataset.pips === String(pips)) return;
  die.dataset.pips = String(pips);
  for (const pip of die.querySelectorAll("circle")) {
    pip.classList.toggle("on", FACES[pips]?.includes(pip.dataset.place ?? "") ?? false);
  }
}
