// Counts as bars, from left to right, with the numbers on them.

import { html, nothing, svg } from "../vendor/lit-html/lit-html.js";
import { told } from "../words.js";

const [WIDTH, HEIGHT, FOOT, HEAD] = [420, 150, 34, 18];

/**
 * @param {number} x
 * @param {number} y
 * @param {string | number} content
 */
const text = (x, y, content, look = "plot-text") => svg`<text x=${x} y=${y} class=${look} text-anchor="middle">${content}</text>`;

/** @param {Selftest.Plot} plot */
export function barPlot({ title, title_key: titleKey, unit, bars: counted }) {
  const bars = counted.map(({ label, label_key: key, count }) => ({ label: told(label, key), count }));
  const most = Math.max(1, ...bars.map((bar) => bar.count));
  const step = WIDTH / Math.max(1, bars.length);
  const said = bars.filter((bar) => bar.count > 0).map((bar) => `${bar.label} ${unit}: ${bar.count}`);
  const bar = (/** @type {typeof bars[number]} */ { label, count }, /** @type {number} */ index) => {
    const height = ((HEIGHT - FOOT - HEAD) * count) / most;
    const middle = (index + 0.5) * step;
    const top = HEIGHT - FOOT - height;
    const labelled = index % Math.ceil(bars.length / 12) === 0;
    return svg`<rect class="bar-one" x=${middle - step * 0.4} y=${top} width=${step * 0.8} height=${Math.max(height, 1)} rx="2"></rect>
      ${count > 0 ? text(middle, top - 4, count, "plot-count") : nothing}${labelled ? text(middle, HEIGHT - FOOT + 15, label) : nothing}`;
  };
  return html`<svg class="bars" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${told(title, titleKey)}. ${said.join(", ")}">
    ${bars.map(bar)}${text(WIDTH / 2, HEIGHT - 3, unit)}</svg>`;
}
