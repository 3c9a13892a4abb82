// Lamps and test patterns as buttons; a pattern has a small likeness of what the display must show.

import { html, svg } from "../vendor/lit-html/lit-html.js";
import { symbol } from "../components/symbol.js";
import { word } from "../words.js";

/** @typedef {Api.DisplayProbe["pattern"]} Pattern */

const [WIDTH, HEIGHT, SQUARE] = [64, 32, 8];

/**
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {number} height
 */
const box = (x, y, width, height) => svg`<rect x=${x} y=${y} width=${width} height=${height} fill="currentColor"></rect>`;

function checker() {
  const squares = [];
  for (let x = 0; x < WIDTH; x += SQUARE) for (let y = 0; y < HEIGHT; y += SQUARE) if ((x + y) % (2 * SQUARE) === 0) squares.push(box(x, y, SQUARE, SQUARE));
  return squares;
}

/** @type {{ [Name in Pattern]?: () => unknown }} */
const LIKENESS = {
  white: () => box(0, 0, WIDTH, HEIGHT),
  checker,
  border: () => svg`<rect x="1" y="1" width=${WIDTH - 2} height=${HEIGHT - 2} fill="none" stroke="currentColor" stroke-width="2"></rect>`,
  digits: () => svg`<text x=${WIDTH / 2} y="23" fill="currentColor" text-anchor="middle" font-size="19" font-weight="700">0123</text>`,
};

/**
 * Buttons for these patterns; `choose(pattern)` on a click.
 * @param {readonly Pattern[]} patterns
 * @param {{ chosen: Pattern | null, off: boolean, choose: (pattern: Pattern) => void }} choice
 */
export function patternButtons(patterns, { chosen, off, choose }) {
  return patterns.map((pattern) => html`<button type="button" class="pattern" data-pattern=${pattern} aria-pressed=${pattern === chosen} ?disabled=${off} @click=${() => choose(pattern)}>
    <svg class="likeness" viewBox="0 0 ${WIDTH} ${HEIGHT}" aria-hidden="true">${LIKENESS[pattern]?.()}</svg><span>${word(`hardware_pattern_${pattern}`)}</span></button>`);
}

/**
 * A lamp that is switched by pressing it.
 * @param {{ lamp: string, text: string, sign: string, lit: boolean, off: boolean, turn: (lit: boolean) => void }} lamp
 */
export function lampButton({ lamp, text, sign, lit, off, turn }) {
  return html`<button type="button" class="lamp" data-lamp=${lamp} aria-pressed=${lit} ?disabled=${off} @click=${() => turn(!lit)}>${symbol(sign)}<span>${text}</span></button>`;
}
