// The facts of a node: name, text, whether it is a reason to look.

import { word } from "../words.js";

/**
 * @import { WordKey } from "../words.js"
 * @typedef {{ [Key in WordKey]: Key extends `fact_${infer Name}` ? Name : never }[WordKey]} FactKey
 * A fact by the key of its name.
 * @typedef {[key: FactKey, text: string, look?: boolean]} Fact
 */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/**
 * How long ago, from milliseconds.
 * @param {number} ms
 */
function agoText(ms) {
  if (ms < SECOND) return word("ago_ms", { ms });
  if (ms < 2 * MINUTE) return word("ago_seconds", { seconds: Math.round(ms / SECOND) });
  return word("ago_minutes", { minutes: Math.round(ms / MINUTE) });
}

/** @param {number} minutes */
function uptimeText(minutes) {
  if (minutes < 60) return word("minutes_up", { minutes });
  return word("hours_up", { hours: Math.floor(minutes / 60), minutes: minutes % 60 });
}

/**
 * `null`: nothing was measured yet.
 * @param {Api.RoundTripView | null} trip
 */
export function tripText(trip) {
  if (trip === null) return word("not_measured");
  return word("round_trip", { p50: trip.p50, p99: trip.p99 });
}

/** @param {Api.DisplaysView} displays */
function displaysText({ sun, moon }) {
  if (sun && moon) return word("displays_both");
  if (!sun && !moon) return word("displays_off");
  return word(sun ? "displays_moon_off" : "displays_sun_off");
}

/**
 * What only a health report tells; a node that has just come has not sent one yet.
 * @param {Api.NodeView} node
 * @returns {Fact[]}
 */
function reportedFacts(node) {
  if (node.reported === false) {
    /** @type {FactKey[]} */
    const unknown = ["supply", "temperature", "displays", "uptime", "reset"];
    return unknown.map((key) => [key, word("not_measured")]);
  }
  return [
    ["supply", word("volts", { volts: node.supply_v })],
    ["gain", node.gain === null ? word("not_calibrated") : word("gain", { gain: node.gain })],
    ["temperature", word("degrees", { degrees: node.temperature_c })],
    ["displays", displaysText(node.displays), !(node.displays.sun && node.displays.moon)],
    ["uptime", uptimeText(node.uptime_min)],
    ["reset", word(`reset_${node.reset}`), node.reset === "watchdog"],
  ];
}

/**
 * @param {Api.NodeView} node
 * @returns {Fact[]}
 */
function heardFacts(node) {
  const [from, to] = node.protocols;
  return [
    ["age", agoText(node.age_ms), node.state === "lost"],
    ["segment", node.segment],
    ["address", String(node.address), node.state === "duplicate"],
    ["round_trip", tripText(node.round_trip_ms)],
    ["missed", String(node.missed), node.state === "suspect"],
    ["states_missed", String(node.states_missed)],
    ["crc_errors", String(node.crc_errors), node.crc_errors > 0],
    ...reportedFacts(node),
    ["firmware", word("hardware_and_firmware", { firmware: node.firmware, hardware: node.hardware }), node.state === "outdated" || node.wordless],
    ["protocols", from === to ? String(from) : word("protocol_range", { from, to }), node.state === "outdated"],
    ["orientation", word(node.swapped ? "orientation_swapped" : "orientation_usual")],
  ];
}

/**
 * What is known of the node with this id; `node` is null until it has been heard.
 * @param {string} uid
 * @param {Api.NodeView | null} node
 */
export function factsOf(uid, node) {
  /** @type {Fact[]} */
  const mode = node?.safe_mode ? [["mode", word("safe_mode"), true]] : [];
  /** @type {Fact[]} */
  const facts = [...mode, ...(node === null ? [] : heardFacts(node)), ["uid", uid]];
  return facts.map(([key, text, look]) => ({ name: word(`fact_${key}`), text, look, wide: key === "uid" }));
}
