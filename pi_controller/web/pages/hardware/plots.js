// Levels of contacts over time as SVG: a lane for each contact, high when it is closed.

import { html, svg } from "../vendor/lit-html/lit-html.js";

/**
 * @typedef {{ at: number, closed: boolean }} Level
 * @typedef {{ name: string, edges: Level[], now: boolean }} Lane
 */

const WIDTH = 380;
const LANE = 44;
const HIGH = 10;
const LOW = 34;
const NAME = 34;
const FOOT = 22;

/**
 * Levels as an SVG path from `from` to `to` (ms); `edges` oldest first, `now` the level at the end.
 * @param {Level[]} edges
 * @param {{ from: number, to: number, top: number, now: boolean }} frame
 */
function levelPath(edges, { from, to, top, now }) {
  /** @param {number} at */
  const x = (at) => (NAME + ((WIDTH - NAME) * (Math.max(from, Math.min(to, at)) - from)) / (to - from)).toFixed(1);
  /** @param {boolean} closed */
  const y = (closed) => top + (closed ? HIGH : LOW);
  const seen = edges.filter((edge) => edge.at > from && edge.at <= to);
  const first = seen[0];
  const before = first === undefined ? now : !first.closed;
  const steps = seen.map((edge) => `H${x(edge.at)}V${y(edge.closed)}`);
  return `M${NAME} ${y(before)}${steps.join("")}H${WIDTH}`;
}

/**
 * `lanes`: [{name, edges: [{at, closed}], now}]; `ticks`: [[at, text]]; times in ms.
 * @param {Lane[]} lanes
 * @param {{ from: number, to: number, ticks: [number, string][], label: string }} frame
 */
export function levelsPlot(lanes, { from, to, ticks, label }) {
  const height = lanes.length * LANE + FOOT;
  const tick = (/** @type {[number, string]} */ [at, words]) => {
    const x = NAME + ((WIDTH - NAME) * (at - from)) / (to - from);
    const anchor = x > WIDTH - 20 ? "end" : x < NAME + 20 ? "start" : "middle";
    return svg`<line x1=${x} x2=${x} y1="4" y2=${height - 20} class="plot-grid"></line><text x=${x} y=${height - 4} class="plot-text" text-anchor=${anchor}>${words}</text>`;
  };
  const lane = (/** @type {Lane} */ { name, edges, now }, /** @type {number} */ index) => {
    const top = index * LANE;
    return svg`<text x="0" y=${top + 27} class="plot-text" text-anchor="start">${name}</text><path class="plot-level" d=${levelPath(edges, { from, to, top, now })}></path>`;
  };
  return html`<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label=${label}>${ticks.map(tick)}${lanes.map(lane)}</svg>`;
}
