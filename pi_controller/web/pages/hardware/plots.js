// Levels of contacts over time as SVG: a lane for each contact, high when it is closed.

import { svgElement } from "../dom.js";

/**
 * @typedef {{ at: number, closed: boolean }} Level
 * @typedef {{ name: string, edges: Level[], now: boolean }} Lane
 */

const WIDTH = 380;
const LANE = 44;
const HIGH = 10;
const LOW = 34;
const NAME = 34;

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
 * @param {number} x
 * @param {number} y
 * @param {string} content
 */
function text(x, y, content, anchor = "start") {
  const element = svgElement("text", { x, y, class: "plot-text", "text-anchor": anchor });
  element.textContent = content;
  return element;
}

/**
 * `lanes`: [{name, edges: [{at, closed}], now}]; `ticks`: [[at, text]]; times in ms.
 * @param {Element} root
 * @param {Lane[]} lanes
 * @param {{ from: number, to: number, ticks: [number, string][], label: string }} frame
 */
export function drawLevels(root, lanes, { from, to, ticks, label }) {
  const height = lanes.length * LANE + 22;
  const svg = svgElement("svg", { viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": label });
  for (const [at, words] of ticks) {
    const x = NAME + ((WIDTH - NAME) * (at - from)) / (to - from);
    svg.append(svgElement("line", { x1: x, x2: x, y1: 4, y2: height - 20, class: "plot-grid" }));
    const anchor = x > WIDTH - 20 ? "end" : x < NAME + 20 ? "start" : "middle";
    svg.append(text(x, height - 4, words, anchor));
  }
  lanes.forEach((lane, index) => {
    const top = index * LANE;
    svg.append(text(0, top + 27, lane.name), svgElement("path", { class: "plot-level", d: levelPath(lane.edges, { from, to, top, now: lane.now }) }));
  });
  root.replaceChildren(svg);
}
