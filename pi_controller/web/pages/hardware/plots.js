// Levels of contacts over time as SVG: a lane for each contact, high when it is closed.

import { svgElement } from "../dom.js";

const WIDTH = 380;
const LANE = 44;
const HIGH = 10;
const LOW = 34;
const NAME = 34;

/** Levels as an SVG path from `from` to `to` (ms); `edges` oldest first, `now` the level at the end. */
function levelPath(edges, { from, to, top, now }) {
  const x = (at) => (NAME + ((WIDTH - NAME) * (Math.max(from, Math.min(to, at)) - from)) / (to - from)).toFixed(1);
  const y = (closed) => top + (closed ? HIGH : LOW);
  const seen = edges.filter((edge) => edge.at > from && edge.at <= to);
  const before = seen.length > 0 ? !seen[0].closed : now;
  const steps = seen.map((edge) => `H${x(edge.at)}V${y(edge.closed)}`);
  return `M${NAME} ${y(before)}${steps.join("")}H${WIDTH}`;
}

function text(x, y, content, anchor = "start") {
  const element = svgElement("text", { x, y, class: "plot-text", "text-anchor": anchor });
  element.textContent = content;
  return element;
}

/** `lanes`: [{name, edges: [{at, closed}], now}]; `ticks`: [[at, text]]; times in ms. */
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
