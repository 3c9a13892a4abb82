// Test patterns of a display as buttons, each with a small likeness of what the display must show.

import { make, svgElement } from "../dom.js";
import { word } from "../words.js";

const [WIDTH, HEIGHT, SQUARE] = [64, 32, 8];

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

const LIKENESS = {
  white: () => [box(0, 0, WIDTH, HEIGHT)],
  black: () => [],
  checker,
  border: () => [svgElement("rect", { x: 1, y: 1, width: WIDTH - 2, height: HEIGHT - 2, fill: "none", stroke: "currentColor", "stroke-width": 2 })],
  digits,
};

function likeness(pattern) {
  const svg = svgElement("svg", { class: "likeness", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": "true" });
  svg.append(...(LIKENESS[pattern]?.() ?? []));
  return svg;
}

/** Buttons for these patterns into `root`; `onChoose(pattern)` when one is chosen. Returns `mark(pattern)`. */
export function patternButtons(root, patterns, onChoose) {
  const buttons = patterns.map((pattern) => {
    const button = make("button", "pattern", [likeness(pattern), make("span", "", word(`hwPattern_${pattern}`))]);
    button.type = "button";
    button.dataset.pattern = pattern;
    button.addEventListener("click", () => onChoose(pattern));
    return button;
  });
  root.replaceChildren(...buttons);
  return (chosen) => {
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.pattern === chosen));
  };
}
