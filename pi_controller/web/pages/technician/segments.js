// Each segment: its port, how busy it is, and what its counters say.

import { make, part, symbol } from "../dom.js";
import { word } from "../words.js";
import { tripText } from "./facts.js";

/**
 * @import { KnownHub } from "../tables/hub.js"
 * @typedef {"busy" | "collisions" | "crc" | "echoes" | "missed" | "nodes" | "polls" | "reopened" | "trip"} Figure
 */

/**
 * @param {Figure} key
 * @param {string} text
 */
function figure(key, text, look = false) {
  return make("div", look ? "figure look" : "figure", [make("dt", "", word(`column_${key}`)), make("dd", "", text)]);
}

/** @param {number} busy */
function busyFigure(busy) {
  const fill = make("span", "bar-fill");
  fill.style.width = `${Math.round(busy * 100)}%`;
  const element = figure("busy", word("perCent", { n: Math.round(busy * 100) }));
  element.append(make("span", "bar", [fill]));
  return element;
}

/**
 * @param {Api.SegmentView} segment
 * @param {Api.NodeView[]} nodes
 */
function segmentLine(segment, nodes) {
  const well = segment.link === "open" && segment.sentence === null;
  const standing = make("span", `link ${well ? "well" : "ill"}`, [symbol(well ? "node-good" : "warning"), make("span", "", word(`link_${segment.link}`))]);
  const head = make("div", "segment-head", [make("h3", "", word("segment", { name: segment.name })), standing, make("span", "port", `${segment.port} · ${word("baudRate", { n: segment.baud.toLocaleString("en") })}`)]);
  const good = nodes.filter((node) => node.state === "good").length;
  const rare = /** @type {const} */ (["collisions", "echoes", "reopened"]).filter((key) => segment[key] > 0);
  const figures = make("dl", "figures", [
    figure("nodes", `${good}/${nodes.length}`, good < nodes.length),
    busyFigure(segment.busy),
    figure("polls", segment.good.toLocaleString("en")),
    figure("missed", segment.missed.toLocaleString("en")),
    figure("crc", segment.crc_errors.toLocaleString("en"), segment.crc_errors > 0),
    figure("trip", tripText(segment.round_trip_ms)),
    ...rare.map((key) => figure(key, segment[key].toLocaleString("en"), key !== "echoes")),
  ]);
  const line = make("li", "segment", [head, figures]);
  if (segment.sentence !== null) head.after(make("p", "mistake", segment.sentence));
  return line;
}

export function segmentsCard() {
  return {
    /** @param {KnownHub} hub */
    take({ snapshot }) {
      const lines = snapshot.segments.map((segment) => segmentLine(segment, snapshot.nodes.filter((node) => node.segment === segment.name)));
      part("segments").replaceChildren(...lines);
      part("no-segments").hidden = lines.length > 0;
    },
  };
}
