// Checks an exported game from its bytes alone, as `pi-controller verify` does: the same sentences in the same order. Pure.

import { canonical, inOrder, repr, shownWord } from "./json.js";
import { Refused, isHash, isSameWord, member, readChain, readOpening, readWord } from "./opening.js";
import { Rolls, legalTurns } from "./rolls.js";
import { fromHex } from "./sha256.js";

/**
 * @import { Said } from "../lib/filling.js"
 * @import { Line, Opening, Place } from "./opening.js"
 */

/**
 * @typedef {{ commitment?: string, head?: string, word?: string }} Seen
 * What the hall saw and heard: 16 to 64 digits, 8 to 64 digits, the word (empty: none was spoken); left out: not given.
 * @typedef {object} Report
 * @property {"proved" | "partly" | "unproved" | "refused"} verdict partly: lines of the game come after the head that was given
 * @property {Said[]} sentences the last one is the verdict
 * @property {Opening | null} opening
 * @property {string | null} word null as long as it is not read
 * @property {number} lines those that the chain proves
 * @property {string} head hash of the last of them
 * @property {Turns} turns
 * @property {number | null} uncovered lines after the head that was given
 * @typedef {{ rolls: number, robber_phases: number, again: number, late: number }} Turns
 */

export const STRONG_DIGITS = 16; // 64 bits: no other file meets them
const MOST_CHANGES = 100; // more are longer than a sentence may be
const BESIDE = ["seed", "note", "answered"]; // lines of these kinds,
const STAGE = ["say", "cover", "timer"]; // and those with these commands, tell nothing of how the game went
const PARAMETERS = ["set_schedule", "set_claims"]; // commands that change what was committed to
/** Where lines of these kinds hold commands. @type {ReadonlyMap<string, readonly (readonly [string, string])[]>} */
const DEEDS = new Map([
  ["did", [["action", "verify.line_says"]]],
  ["corrected", [["removed", "verify.line_takes_back"], ["put", "verify.line_puts"]]],
]);
const TURN_FIELDS = ["phase", "round", "due_round", "side", "dice", "draw", "robber_target", "robber_dice"];

/**
 * No content of a file raises, whatever it is.
 * @param {Uint8Array} bytes
 * @param {Seen} seen
 * @returns {Report}
 */
export function check(bytes, seen = {}) {
  const run = new Check();
  try {
    run.read(bytes);
    run.compare(seen);
    run.rollAgain(seen);
  } catch (problem) {
    if (!(problem instanceof Refused)) throw problem;
    run.report.verdict = "refused";
    run.say("verify.refused", { why: problem.sentence });
  }
  return { ...run.report, lines: run.chain.length, head: run.chain.at(-1)?.hash ?? "" };
}

class Check {
  constructor() {
    /** @type {Line[]} */
    this.chain = [];
    this.partly = false;
    /** @type {Report} */
    this.report = { verdict: "unproved", sentences: [], opening: null, word: null, lines: 0, head: "", turns: { rolls: 0, robber_phases: 0, again: 0, late: 0 }, uncovered: null };
  }

  /**
   * @param {string} key
   * @param {Said["params"]} params
   */
  say(key, params = {}) {
    this.report.sentences.push({ key, params });
  }

  /** @param {Uint8Array} bytes */
  read(bytes) {
    readChain(bytes, this.chain);
    const [first, last] = [this.chain[0], this.chain.at(-1)];
    if (first === undefined || last === undefined) throw new Refused("verify.file_is_empty");
    this.say("verify.chain_lines_unbroken_head", { lines: this.chain.length, head: last.hash });
    this.report.opening = readOpening(first);
    const other = this.chain.find(({ kind, number }) => kind === "game" && number > 1);
    if (other !== undefined) throw new Refused("verify.line_begins_another_game", { line: other.number });
    const { gameId, ruleSet, ruleSetVersion, version } = this.opening;
    this.say("verify.game_version_dice_of_derivation", { game_id: repr(gameId), rule_set: repr(ruleSet), rule_set_version: ruleSetVersion, version });
  }

  get opening() {
    return /** @type {Opening} */ (this.report.opening);
  }

  /** @param {Seen} seen */
  compare({ commitment, head }) {
    this.compareCommitment(commitment, this.opening.commitment);
    this.compareHead(head);
    this.say("verify.committed_to", { terms: canonical(this.opening.terms) });
    this.tellChanges();
    const { unknownRules, place } = this.opening;
    if (unknownRules.length > 0) this.say("verify.unknown_rules", { names: canonical(unknownRules) });
    if (place === null) this.say("verify.seal_without_a_number");
    else this.say("verify.seal_of_the_evening", { number: String(place.number), evening: repr(place.evening), before: place.before ?? { key: "verify.no_game_before", params: {} } });
  }

  tellChanges() {
    if (this.opening.version === 1) return void this.say("verify.not_committed_to_after_robber_times", { after_robber: repr(this.opening.afterRobber) });
    const changes = this.chain.slice(1).flatMap(changesOf).slice(0, MOST_CHANGES);
    const told = changes.length === 0 ? { key: "verify.nothing_changed", params: {} } : changes.reduce((before, next) => ({ key: "list.semicolon", params: { before, next } }));
    this.say("verify.changed_after_the_commitment", { changes: told });
  }

  /**
   * @param {string | undefined} seen
   * @param {string} carried
   */
  compareCommitment(seen, carried) {
    if (seen === undefined) return void this.say("verify.commitment_of_the_file", { commitment: carried });
    if (!carried.startsWith(seen)) throw new Refused("verify.hall_saw_commitment_but_the_file", { seen, carried });
    this.say("verify.commitment_the_hall_saw_digits", { commitment: carried, digits: seen.length });
  }

  /** @param {string | undefined} seen */
  compareHead(seen) {
    if (seen === undefined) return void this.say("verify.no_head_given", { count: this.chain.length });
    const line = this.chain.find(({ hash }) => hash.startsWith(seen));
    if (line === undefined) throw new Refused("verify.hall_saw_head_but_no_line", { seen });
    const count = this.chain.length - line.number;
    this.report.uncovered = count;
    this.partly = this.chain.slice(line.number).some(isOfTheGame);
    const strength = { key: seen.length >= STRONG_DIGITS ? "verify.digits_are_strong" : "verify.digits_are_weak", params: { count: seen.length, bits: 4 * seen.length } };
    this.say("verify.head_is_of_line", { head: seen, line: line.number, count, strength });
  }

  /** @param {Seen} seen */
  rollAgain({ word: heard }) {
    const { word, given } = readWord(this.chain);
    this.report.word = word;
    this.tellWord(heard, word, given);
    const seed = readSeed(this.chain);
    if (seed === null) return void this.say("verify.not_yet_verifiable", { covered: this.covered() });
    const rolls = new Rolls(this.opening, fromHex(seed), word);
    const { commitment } = rolls;
    if (commitment !== this.opening.commitment) throw new Refused("verify.seed_gives_commitment_not", { commitment, commitment_2: this.opening.commitment });
    this.say("verify.seed_fits_the_commitment");
    const turns = compareTurns(this.chain, legalTurns(rolls));
    this.report.turns = turns;
    this.say("verify.rolls_computed_again_of_them_robber", { ...turns });
    this.report.verdict = this.partly ? "partly" : "proved";
    /** @type {Said} */
    const passed = this.limits().reduce((before, limit) => ({ key: "verify.passed_but", params: { passed: before, limit } }), { key: "verify.passed", params: {} });
    /** @type {Said} */
    const proved = turns.late > 0 ? { key: "verify.every_roll_follows_but_foreseen", params: { late: turns.late } } : { key: "verify.every_roll_follows", params: {} };
    this.say("verify.verdict", { passed, proved, covered: this.covered() });
  }

  get reach() {
    return { line: this.chain.length - (this.report.uncovered ?? 0), lines: this.chain.length };
  }

  /** Why it is no plain pass. */
  limits() {
    const { late, rolls } = this.report.turns;
    /** @type {Said[]} */
    const limits = [];
    if (this.opening.rehearsal) limits.push({ key: "verify.as_a_rehearsal", params: {} });
    if (late > 0) limits.push({ key: "verify.with_rolls_after_the_seed", params: { late, rolls } });
    if (this.partly) limits.push({ key: "verify.only_up_to_line", params: this.reach });
    return limits;
  }

  /**
   * How many lines the head covers.
   * @returns {Said}
   */
  covered() {
    const lines = this.chain.length;
    if (this.report.uncovered === null) return { key: "verify.covers_nothing", params: { lines } };
    if (this.report.uncovered === 0) return { key: "verify.covers_all", params: { lines } };
    return { key: this.partly ? "verify.covers_part" : "verify.covers_the_game", params: this.reach };
  }

  /**
   * @param {string | undefined} heard
   * @param {string} word
   * @param {number} given
   */
  tellWord(heard, word, given) {
    /** @type {Said} */
    const shown = given > 1 ? { key: "verify.public_word_of_many", params: { word: shownOr(word), count: given } } : { key: "verify.public_word", params: { word: shownOr(word) } };
    if (heard === undefined) return void this.say("verify.files_own_compare_it_with_what", { told: shown });
    if (!isSameWord(heard, word, this.opening.version)) throw new Refused("verify.hall_heard_the_word_but", { heard: shownOr(heard), word: shownOr(word) });
    this.say("verify.hall_heard", { told: shown });
  }
}

/**
 * @param {string} word
 * @returns {string | Said}
 */
function shownOr(word) {
  return word === "" ? { key: "verify.no_word", params: {} } : shownWord(word);
}

/**
 * Whether it tells anything of how the game went, and not only what the screens showed besides.
 * @param {Line} line
 */
function isOfTheGame({ kind, data }) {
  const name = kind === "did" ? member(member(data.get("action"), "command"), "name") : undefined;
  return !BESIDE.includes(kind) && !(typeof name === "string" && STAGE.includes(name));
}

/**
 * What this line changes of the parameters that were committed to.
 * @param {Line} line
 * @returns {Said[]}
 */
function changesOf({ kind, number, data }) {
  return (DEEDS.get(kind) ?? []).flatMap(([part, key]) => {
    const command = member(data.get(part), "command");
    const name = member(command, "name");
    if (typeof name !== "string" || !PARAMETERS.includes(name)) return [];
    return [{ key, params: { line: number, name, body: canonical(member(command, "body") ?? null) } }];
  });
}

/** @param {readonly Line[]} chain */
function readSeed(chain) {
  const seeds = chain.filter(({ kind }) => kind === "seed").map(({ data }) => data.get("seed"));
  const [seed] = seeds;
  if (seeds.length === 0) return null;
  if (!isHash(seed)) throw new Refused("verify.seed_is_not_written_as_64");
  if (seeds.some((each) => each !== seed)) throw new Refused("verify.file_publishes_different_seeds");
  return seed;
}

/**
 * Each turn is the next one, or one that was shown before: an undo may enter it again.
 * @param {readonly Line[]} chain
 * @param {Iterator<string>} legal
 * @returns {Turns}
 */
function compareTurns(chain, legal) {
  const shown = new Set();
  const turns = { rolls: 0, robber_phases: 0, again: 0, late: 0 };
  let [due, published] = [legal.next().value, false];
  for (const { kind, number, data } of chain) {
    published ||= kind === "seed";
    if (kind !== "turned") continue;
    const turn = canonical(new Map([...data].filter(([name]) => TURN_FIELDS.includes(name))));
    if (turn === due) {
      shown.add(due);
      due = legal.next().value;
    } else if (shown.has(turn)) turns.again += 1;
    else throw new Refused("verify.next_the_seed_gives_but_line", { due, line: number, turn });
    turns.rolls += 1;
    turns.robber_phases += data.get("phase") === "robber" ? 1 : 0;
    turns.late += published ? 1 : 0;
  }
  return turns;
}

// Whether the seals of several games follow from each other without a gap, evening by evening. Pure.

/** @typedef {Place & { word: string }} Placed */

/**
 * What was found: of each evening its seals, then what is wrong with them. Games that are refused, and those whose seal
 * has no number, are left out.
 * @param {readonly Report[]} reports
 * @returns {{ whole: boolean, sentences: Said[] }}
 */
export function checkEvening(reports) {
  /** @type {Map<string, Map<string, Placed>>} */
  const evenings = new Map();
  for (const { verdict, opening, word } of reports) {
    const place = opening?.place ?? null;
    if (verdict === "refused" || place === null) continue;
    const found = evenings.get(place.evening) ?? new Map();
    evenings.set(place.evening, found.set(place.hash, { ...place, word: word ?? "" }));
  }
  /** @type {Said[]} */
  const sentences = [];
  for (const [evening, found] of [...evenings].sort(([one], [other]) => inOrder(one, other))) {
    const places = [...found.values()].sort((one, other) => Number(one.number - other.number) || inOrder(one.gameId, other.gameId) || inOrder(one.hash, other.hash));
    sentences.push({ key: "verify.evening_has_seals", params: { evening: repr(evening), numbers: places.map(({ number }) => number).join(", ") } });
    sentences.push(...notInOrder(places).map((wrong) => ({ key: "verify.in_the_evening", params: { evening: repr(evening), wrong } })));
  }
  return { whole: sentences.length === evenings.size, sentences };
}

/**
 * @param {readonly Placed[]} places those of one evening, sorted by their numbers
 * @returns {Said[]}
 */
function notInOrder(places) {
  /** @type {Map<string, bigint>} */
  const words = new Map();
  /** @type {Said[]} */
  const wrong = [];
  let reached = 0n;
  /** @type {Placed | null} */
  let before = null;
  for (const place of places) {
    const { number, word } = place;
    if (number > reached + 1n) wrong.push({ key: "verify.seals_are_missing", params: { numbers: number === reached + 2n ? String(number - 1n) : `${reached + 1n}-${number - 1n}` } });
    else if (before !== null && number === reached) wrong.push({ key: "verify.seal_of_two_games", params: { number: String(number), game_id: repr(before.gameId), other: repr(place.gameId) } });
    else if (before !== null && place.before !== before.hash) wrong.push({ key: "verify.seal_does_not_follow", params: { number: String(number), before: String(reached) } });
    const earlier = words.get(word);
    if (earlier !== undefined) wrong.push({ key: "verify.word_of_two_seals", params: { number: String(earlier), other: String(number), word: shownWord(word) } });
    else if (word !== "") words.set(word, number);
    [reached, before] = [number, place];
  }
  return wrong;
}
