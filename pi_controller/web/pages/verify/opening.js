// Reads an exported game: its lines and their chain, what the first one says about the dice, the public word. Pure.

import { NoJson, TooDeep, canonical, depthOf, parse, repr } from "./json.js";
import { hex, sha256, utf8 } from "./sha256.js";

/**
 * @import { Said } from "../lib/filling.js"
 * @import { Json } from "./json.js"
 */

// Reads the lines of an exported game: canonical JSON and the chain of hashes. Pure.

/**
 * @typedef {{ number: number, kind: string, data: Map<string, Json>, hash: string }} Line
 * One line whose place in the chain is proved; `number` counts from 1.
 */

const NO_LINE = "0".repeat(64); // `prev` of the first line
const DEEPEST = 100; // objects and lists inside each other in one line
const LINE_FEED = 10;
const DECODER = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** What is wrong with an export. */
export class Refused extends Error {
  /**
   * @param {string} key
   * @param {Said["params"]} params
   */
  constructor(key, params = {}) {
    super(key);
    this.sentence = { key, params };
  }
}

/**
 * Every line, up to the first that breaks the chain: that one is Refused.
 * @param {Uint8Array} bytes the whole file
 * @param {Line[]} chain takes the lines
 */
export function readChain(bytes, chain) {
  let before = NO_LINE;
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(LINE_FEED, at);
    const number = chain.length + 1;
    if (end === -1) throw new Refused("verify.line_has_no_line_end", { line: number });
    const line = readLine(number, bytes.subarray(at, end), before);
    chain.push(line);
    before = line.hash;
    at = end + 1;
  }
}

/**
 * @param {number} number
 * @param {Uint8Array} raw without its line feed
 * @param {string} before hash of the line before
 * @returns {Line}
 */
function readLine(number, raw, before) {
  const record = readRecord(number, raw);
  const [seq, carried] = [record.get("seq"), record.get("hash")];
  if (seq !== BigInt(number - 1)) throw new Refused("verify.line_carries_seq_not", { line: number, seq: repr(seq), value: number - 1 });
  if (record.get("prev") !== before) throw new Refused("verify.line_does_not_follow", { line: number });
  record.delete("hash");
  const digest = hex(sha256(utf8(canonical(record))));
  if (carried !== digest) throw new Refused("verify.line_was_changed_its_hash", { line: number, digest });
  const [kind, data] = [record.get("kind"), record.get("data")];
  if (typeof kind !== "string" || !(data instanceof Map)) throw new Refused("verify.line_has_no_kind_a_text", { line: number });
  return { number, kind, data, hash: digest };
}

/**
 * @param {number} line
 * @param {Uint8Array} raw
 */
function readRecord(line, raw) {
  try {
    const text = DECODER.decode(raw);
    const record = parse(text);
    if (depthOf(record) > DEEPEST) throw new TooDeep();
    if (canonical(record) === text && record instanceof Map) return record;
  } catch (problem) {
    if (problem instanceof TooDeep) throw new Refused("verify.line_is_nested_too_deeply", { line });
    if (problem instanceof NoJson || problem instanceof TypeError) throw new Refused("verify.line_is_not_json_in_utf", { line });
    throw problem;
  }
  throw new Refused("verify.line_is_not_an_object", { line });
}

// What the first line of an export says about the dice, checked. Pure.

/**
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
function isText(value) {
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

// The public word: as the file has it, and what the hall heard written in the same way. Pure.

/** @type {Readonly<Record<string, string>>} */
const ONE_SIGN = { "\u2018": "'", "\u2019": "'", "\u02bc": "'", "\u2010": "-", "\u2013": "-", "\u2212": "-", "\u0130": "i" };
const SEVERAL_SIGNS = /[\u2018\u2019\u02bc\u2010\u2013\u2212\u0130]/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: Python counts these as white space, too
const WHITE_SPACE = /[\t-\r\u001c-\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/gu;
const CHEROKEE = /[\u13a0-\u13f5]/u; // its capitals are what case folding writes
const SMALL_CHEROKEE = /[\u13f8-\u13fd\uab70-\uabbf]/u;

/**
 * The last word given, empty when there is none (`null` takes one back), and how many lines give one. Refused when one
 * is no text, or comes after the first roll.
 * @param {readonly Line[]} chain
 */
export function readWord(chain) {
  const rolled = chain.find(({ kind }) => kind === "turned")?.number ?? Infinity;
  let [word, given] = ["", 0];
  for (const { kind, number, data } of chain) {
    if (kind !== "contributed") continue;
    if (number > rolled) throw new Refused("verify.line_gives_a_public_word_after", { line: number });
    const text = data.has("text") ? data.get("text") : "";
    if (text !== null && !isText(text)) throw new Refused("verify.line_gives_a_public_word", { line: number });
    word = text ?? "";
    given += 1;
  }
  return { word, given };
}

/**
 * Whether the hall heard the word that is written. From version 2 on the text counts as the controller writes it;
 * version 1 brings both to NFC.
 * @param {string} heard
 * @param {string} written
 * @param {1 | 2} version
 */
export function isSameWord(heard, written, version) {
  return version === 1 ? heard.normalize("NFC") === written.normalize("NFC") : normalised(heard) === written;
}

/**
 * A word as the controller writes it down from version 2 on.
 * @param {string} text
 */
export function normalised(text) {
  for (let before = null; text !== before; ) {
    before = text;
    const signs = Array.from(text.replace(SEVERAL_SIGNS, (sign) => ONE_SIGN[sign] ?? sign).normalize("NFKC"));
    text = signs.map(folded).join("").normalize("NFKC").replace(WHITE_SPACE, " ").replace(/^ | $/g, "");
  }
  return text;
}

/**
 * Unicode's full case folding of one character; a capital sharp s takes two of them.
 * @param {string} sign
 */
function folded(sign) {
  if (sign === "\u0131" || CHEROKEE.test(sign)) return sign;
  if (SMALL_CHEROKEE.test(sign)) return sign.toUpperCase();
  return Array.from(sign.toUpperCase(), (capital) => capital.toLowerCase()).join("");
}
