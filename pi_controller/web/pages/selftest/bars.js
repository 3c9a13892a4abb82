// Counts as bars, from left to right, with the numbers on them.

import { svgElement } from "../dom.js";

const [WIDTH, HEIGHT, FOOT, HEAD] = [420, 150, 34, 18];

/**
 * @param {number} x
 * @param {number} y
 * @param {string} content
 */
function text(x, y, content, className = "plot-text") {
  const element = svgElement("text", { x, y, class: className, "text-anchor": "middle" });
  element.textContent = content;
  return element;
}

/**
 * `plot`: {title, unit, bars: [{label, count}]}.
 * @param {Selftest.Plot} plot
 */
export function barPlot({ title, unit, bars }) {
  const most = Math.max(1, ...bars.map((bar) => bar.count));
  const step = WIDTH / Math.max(1, bars.length);
  const said = bars.filter((bar) => bar.count > 0).map((bar) => `${bar.label} ${unit}: ${bar.count}`);
  const svg = svgElement("svg", { class: "bars", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `${title}. ${said.join(", ")}` });
  bars.forEach((bar, index) => {
    const height = ((HEIGHT - FOOT - HEAD) * bar.count) / most;
    const middle = (index + 0.5) * step;
    svg.append(svgElement("rect", { class: "bar-one", x: middle - step * 0.4, y: HEIGHT - FOOT - height, width: step * 0.8, height: Math.max(height, 1), rx: 2 }));
    if (bar.count > 0) svg.append(text(middle, HEIGHT - FOOT - height - 4, String(bar.count), "plot-count"));
    if (index % Math.ceil(bars.length / 12) === 0) svg.append(text(middle, HEIGHT - FOOT + 15, bar.label));
  });
  svg.append(text(WIDTH / 2, HEIGHT - 3, unit));
  return svg;
}
