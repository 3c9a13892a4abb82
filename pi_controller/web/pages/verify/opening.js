// What the first line of an export says about the dice, checked. Pure.

import { Refused } from "./chain.js";
import { canonical } from "./json.js";
import { repr } from "./python.js";

/**
 * @import { Json } from "./json.js"
 * @import { Line } from "./chain.js"
 * @typedef {object} Opening
 * @property {1 | 2} version of the derivation
 * @property {string} gameId
 * @property {Map<string, Json>} terms
 * @property {string} ruleSet
 * @property {string} ruleSetVersion
 * @property {string[]} seats those who act, in their order
 * @property {string} afterRobber
 * @property {string} commitment
 * @property {boolean} rehearsal
 * @property {string[]} unknownRules names in `rules` that no verifier knows
 * @property {Place | null} place
 * @typedef {{ number: bigint, evening: string, before: string | null, gameId: string, hash: string }} Place
 * Which seal of its evening a game has: the evening by the id of its first game, the hash of line 1 of the game before
 * (null: none), and that of its own.
 */

const LARGEST_NUMBER = 2n ** 32n - 1n;
const DRAWN = "drawn";
export const HIGHEST = "highest"; // all seats roll for the first turn
export const NO_PHASE = "no_phase"; // a 7 begins none
const CONNECT = "connect";
const SIDES = ["sun", "moon"];
const AFTER_ROBBER = ["due_side", "other_side"];
const RULES = new Set([
  "name", "version", "play", "claims", "first_side", "target_points", "after_robber", "allow_consecutive_sevens", "robber_targets", "robber_target_draw",
  "rounds_without_seven", "robber_ms", "start_countdown_ms", "resume_countdown_ms", "building_ms", "tie_break", "sides", "sides.name", "sides.symbol",
  "sides.colour", "schedule", "schedule.from_round", "schedule.seconds", "pieces", "pieces.settlements", "pieces.cities", "pieces.roads", "points",
  "points.settlement", "points.city", "points.victory_card", "points.foreign_direction", "points.largest_army", "points.longest_route",
].map((name) => canonical(name.split("."))));
/** @type {readonly Json[]} */
const TARGETS = [2n, 3n, 4n, 5n, 6n, "desert", 8n, 9n, 10n, 11n, 12n];
/** @typedef {(value: Json) => boolean} Fits */
/** @type {ReadonlyMap<string, Fits>} */
const TERMS = new Map(Object.entries(/** @type {Record<string, Fits>} */ ({
  rule_set: isText,
  rule_set_version: (value) => isWhole(value, 1n),
  rounds_without_seven: (value) => isWhole(value),
  allow_consecutive_sevens: (value) => typeof value === "boolean",
  robber_targets: areTargets,
  robber_target_draw: (value) => value === "dice" || value === "uniform",
  first_side: isText,
})));
/** @type {ReadonlyMap<string, Fits>} */
const ARMED_TERMS = new Map([...TERMS, ...Object.entries(/** @type {Record<string, Fits>} */ ({
  after_robber: (value) => [...AFTER_ROBBER, NO_PHASE].some((known) => known === value),
  schedule: isSchedule,
  robber_ms: (value) => isWhole(value),
  start_countdown_ms: (value) => isWhole(value),
  resume_countdown_ms: (value) => isWhole(value),
  target_points: (value) => isWhole(value),
  claims: (value) => value === "ask" || value === "pause",
}))]);

/**
 * @param {Json | undefined} value
 * @returns {value is string}
 */
export function isText(value) {
  return typeof value === "string" && value !== "";
}

/**
 * @param {Json | undefined} value
 * @returns {value is string}
 */
export function isHash(value) {
  return typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
}

/**
 * @param {Json | undefined} value
 * @param {bigint} least
 * @returns {value is bigint}
 */
function isWhole(value, least = 0n) {
  return typeof value === "bigint" && value >= least && value <= LARGEST_NUMBER;
}

/** @param {Json} value */
function areTargets(value) {
  return Array.isArray(value) && value.length > 0 && value.every((each) => TARGETS.includes(each)) && new Set(value).size === value.length;
}

/** @param {Json} value */
function isSchedule(value) {
  if (!Array.isArray(value)) return false;
  let before = 0n;
  for (const step of value) {
    if (!Array.isArray(step) || step.length !== 2) return false;
    const [from, ms] = step;
    if (!isWhole(from, 1n) || !isWhole(ms) || from <= before || (before === 0n && from !== 1n)) return false;
    before = from;
  }
  return true;
}

/**
 * The member of this name; undefined where there is none, or no object.
 * @param {Json | undefined} value
 * @param {string} name
 */
export function member(value, name) {
  return value instanceof Map ? value.get(name) : undefined;
}

/**
 * Refused when the line is not the first one of a game that can be read.
 * @param {Line} line
 * @returns {Opening}
 */
export function readOpening({ kind, data, hash }) {
  if (kind !== "game") throw new Refused("verify.line_1_is_of_kind_not", { kind: repr(kind) });
  const version = readVersion(data);
  const terms = readTerms(data.get("terms"), version);
  for (const name of ["rule_set", "rule_set_version"]) {
    if (canonical(data.get(name) ?? null) !== canonical(terms.get(name) ?? null)) throw new Refused("verify.line_1_names_another_rule_set");
  }
  const afterRobber = (version === 1 ? data : terms).get("after_robber");
  if (typeof afterRobber !== "string" || (version === 1 && !AFTER_ROBBER.includes(afterRobber))) throw new Refused("verify.after_robber_is_neither_due_side", { after_robber: repr(afterRobber) });
  const commitment = data.get("commitment");
  if (!isHash(commitment)) throw new Refused("verify.commitment_is_not_written_as_64");
  const seats = readSeats(data);
  if (seats.length > 256) throw new Refused("verify.line_1_names_too_many_seats", { seats: seats.length, most: 256 });
  const choices = [...seats, DRAWN, HIGHEST];
  if (!choices.some((seat) => seat === terms.get("first_side"))) throw new Refused("verify.dice_terms_are_wrong_first_side", { seats: choices.join(", ") });
  const gameId = data.get("game_id");
  if (!isText(gameId)) throw new Refused("verify.these_dice_cannot_be", { why: "game_id" });
  const unknown = fieldPaths(data.get("rules"), []).filter((path) => !RULES.has(canonical(path)));
  const unknownRules = [...new Set(unknown.map((path) => path.join(".")))];
  const place = data.has("seal") ? readPlace(data.get("seal"), gameId, hash) : null;
  const rehearsal = data.get("rehearsal") === true;
  return { version, gameId, terms, ruleSet: String(terms.get("rule_set")), ruleSetVersion: String(terms.get("rule_set_version")), seats, afterRobber, commitment, rehearsal, unknownRules, place };
}

/**
 * The names of all fields, each behind those that it stands in.
 * @param {Json | undefined} value
 * @param {string[]} before
 * @returns {string[][]}
 */
function fieldPaths(value, before) {
  if (Array.isArray(value)) return value.flatMap((each) => fieldPaths(each, before));
  if (!(value instanceof Map)) return [];
  return [...value].flatMap(([name, each]) => [[...before, name], ...fieldPaths(each, [...before, name])]);
}

/**
 * @param {Json | undefined} seal
 * @param {string} gameId
 * @param {string} hash
 * @returns {Place}
 */
function readPlace(seal, gameId, hash) {
  const [number, evening, before] = ["number", "of_evening", "before"].map((name) => member(seal, name) ?? null);
  if (!isWhole(number, 1n) || !isText(evening) || (before !== null && !isHash(before))) throw new Refused("verify.seal_has_no_place");
  return { number, evening, before: before ?? null, gameId, hash };
}

/**
 * Version of the dice: 1 in format 1, and in format 2 what it names, which is 2.
 * @param {Map<string, Json>} data
 */
function readVersion(data) {
  const format = data.get("format");
  if (format === 1n) return 1;
  if (format !== 2n) throw new Refused("verify.export_has_format_this_verifier_reads", { format: repr(format) });
  const derivation = data.get("derivation");
  if (derivation !== 2n) throw new Refused("verify.line_1_names_derivation_in_format", { derivation: repr(derivation) });
  return 2;
}

/**
 * @param {Json | undefined} terms
 * @param {1 | 2} version
 */
function readTerms(terms, version) {
  if (!(terms instanceof Map)) throw new Refused("verify.line_1_has_no_dice_terms");
  const checks = version === 1 ? TERMS : ARMED_TERMS;
  const names = new Set([...checks.keys(), ...terms.keys()]);
  const wrong = [...names].filter((name) => !terms.has(name) || !checks.get(name)?.(terms.get(name) ?? null));
  const untimed = version === 2 && canonical(terms.get("schedule") ?? null) === "[]" && terms.get("after_robber") !== NO_PHASE;
  if (untimed) wrong.push("schedule");
  if (wrong.length > 0) throw new Refused("verify.dice_terms_are_wrong", { why: wrong.join(", ") });
  return terms;
}

/**
 * As the rule set has them, whose name is committed to. Of one that is not known here line 1 says it; where it says
 * nothing, they are those of Connect.
 * @param {Map<string, Json>} data
 */
function readSeats(data) {
  const sides = data.get("rule_set") === CONNECT ? null : member(data.get("rules"), "sides");
  const named = Array.isArray(sides) ? sides.map((side) => (Array.isArray(side) ? side[0] : null)).filter(isText) : [];
  return named.length > 0 ? [...new Set(named)] : SIDES;
}
