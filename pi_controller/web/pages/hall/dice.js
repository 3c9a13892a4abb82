// Dice with drawn pips, made once and then shown another number.

import { FACES, PLACES } from "../dice.js";
import { svgElement } from "../dom.js";

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
