// Test patterns of a display as buttons, each with a small likeness of what the display must show.

import { make, svgElement } from "../dom.js";
import { word } from "../words.js";

/** @typedef {Api.DisplayProbe["pattern"]} Pattern */

const [WIDTH, HEIGHT, SQUARE] = [64, 32, 8];

/**
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {number} height
 */
function box(x, y, width, height) {
  return svgElement("rect", { x, y, width, height, fill: "currentColor" });
}

function checker() {
  const squares = [];
  for (let x = 0; x < WIDTH; x += SQUARE) for (let y = 0; y < HEIGHT; y += SQUARE) if ((x + y) % (2 * SQUARE) === 0) squares.push(box(x, y, SQUARE, SQUARE));
  return squares;
}

function digits() {
  const text = svgElement("text", { x: WIDTH / 2, y: 23, fill: "currentColor", "text-anchor": "middle", "font-size": 19, "font-weight": 700 });
  text.textContent = "0123";
  return [text];
}

/** @type {{ [Name in Pattern]?: () => SVGElement[] }} */
const LIKENESS = {
  white: () => [box(0, 0, WIDTH, HEIGHT)],
  black: () => [],
  checker,
  border: () => [svgElement("rect", { x: 1, y: 1, width: WIDTH - 2, height: HEIGHT - 2, fill: "none", stroke: "currentColor", "stroke-width": 2 })],
  digits,
};

/** @param {Pattern} pattern */
function likeness(pattern) {
  const svg = svgElement("svg", { class: "likeness", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": "true" });
  svg.append(...(LIKENESS[pattern]?.() ?? []));
  return svg;
}

/**
 * Buttons for these patterns into `root`; `onChoose(pattern)` when one is chosen. Returns `mark(pattern)`.
 * @param {Element} root
 * @param {readonly Pattern[]} patterns
 * @param {(pattern: Pattern) => void} onChoose
 */
export function patternButtons(root, patterns, onChoose) {
  const buttons = patterns.map((pattern) => {
    const button = make("button", "pattern", [likeness(pattern), make("span", "", word(`hwPattern_${pattern}`))]);
    button.type = "button";
    button.dataset.pattern = pattern;
    button.addEventListener("click", () => onChoose(pattern));
    return button;
  });
  root.replaceChildren(...buttons);
  return (/** @type {Pattern | null} */ chosen) => {
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.pattern === chosen));
  };
}
