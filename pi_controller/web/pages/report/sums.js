// How often each sum came, as bars, with a line where it is to be expected.

import { html, nothing, svg } from "../vendor/lit-html/lit-html.js";
import { numberText, word } from "../words.js";

const [WIDTH, HEIGHT, FOOT, HEAD, SIDE] = [560, 260, 34, 24, 8];
const BAR = 0.66; // of the room that a sum has
const LINE = 0.9;

/** @param {Api.GameReport} report */
export function sumsPlot({ distribution, rolls }) {
  const top = Math.max(1, ...distribution.map(({ count, expected }) => Math.max(count, expected)));
  const step = (WIDTH - 2 * SIDE) / distribution.length;
  const heightOf = (/** @type {number} */ value) => ((HEIGHT - FOOT - HEAD) * value) / top;
  const ground = HEIGHT - FOOT;
  const column = (/** @type {Api.SumCount} */ { sum, count, expected }, /** @type {number} */ index) => {
    const middle = SIDE + (index + 0.5) * step;
    const above = ground - Math.max(heightOf(count), heightOf(expected)) - 7;
    const line = ground - heightOf(expected);
    return svg`<rect class=${sum === 7 ? "bar seven" : "bar"} x=${middle - (step * BAR) / 2} y=${ground - heightOf(count)} width=${step * BAR} height=${heightOf(count)} rx="3"></rect>
      ${expected > 0 ? svg`<line class="expected" x1=${middle - (step * LINE) / 2} x2=${middle + (step * LINE) / 2} y1=${line} y2=${line}></line>` : nothing}
      <text class="count" x=${middle} y=${above} text-anchor="middle">${count}</text>
      <text class="sum" x=${middle} y=${HEIGHT - 10} text-anchor="middle">${sum}</text>`;
  };
  const said = distribution.map(({ sum, count, expected }) => `${sum}: ${count} (${numberText(expected, ".1f")})`).join(", ");
  return html`<section class="card sums">
    <h2>${word("report_sums")}</h2>
    <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${word("report_sums")}: ${said}" data-is="report-sums">
      <line class="ground" x1=${SIDE} x2=${WIDTH - SIDE} y1=${ground} y2=${ground}></line>${distribution.map(column)}
    </svg>
    <p class="key"><span class="came">${word("report_came")}</span><span class="to-come">${word("report_expected")}</span></p>
    <p class="hint">${word("report_of_rolls", { count: rolls.length })}</p>
  </section>`;
}
