// The derivation of a game's rolls (docs/dice.md): every one is a function of seed, word and terms. Pure.

import { canonical } from "./json.js";
import { HIGHEST, NO_PHASE } from "./opening.js";
import { hex, hmacSha256, joined, sha256, utf8 } from "./sha256.js";

/**
 * @import { Json } from "./json.js"
 * @import { Opening } from "./opening.js"
 */

const FACES_END = 252; // a multiple of 6: 42 bytes are left for each face
const ROUND = framed(utf8("round"));
const ROBBER = framed(utf8("robber"));
const FIRST_SIDE = framed(utf8("first_side"));

/** @param {Uint8Array} part */
function framed(part) {
  return joined([fourBytes(part.length), part]);
}

/** @param {number[]} values each in four bytes */
function fourBytes(...values) {
  const view = new DataView(new ArrayBuffer(4 * values.length));
  values.forEach((value, place) => { view.setUint32(4 * place, value); });
  return new Uint8Array(view.buffer);
}

export class Rolls {
  /**
   * @param {Opening} opening
   * @param {Uint8Array} seed
   * @param {string} word empty without one
   */
  constructor(opening, seed, word) {
    this.opening = opening;
    this.seed = seed;
    const hashed = opening.version === 1 ? word.normalize("NFC") : word;
    this.prefix = joined([`pi-controller dice ${opening.version}`, opening.gameId, hashed].map((text) => framed(utf8(text))));
  }

  /** SHA-256 over seed, game and terms; not over the word, which comes later. */
  get commitment() {
    const { version, gameId, terms } = this.opening;
    const parts = [utf8(`pi-controller commitment ${version}`), this.seed, utf8(gameId), utf8(canonical(terms))];
    return hex(sha256(joined(parts.map(framed))));
  }

  /**
   * @param {Uint8Array} kind
   * @param {number} round
   * @param {number} draw
   */
  *stream(kind, round, draw) {
    for (let block = 0; ; block += 1) {
      yield* hmacSha256(this.seed, joined([this.prefix, kind, fourBytes(round, draw, block)]));
    }
  }

  /**
   * @param {Uint8Array} kind
   * @param {number} round
   * @param {number} draw
   */
  *pairs(kind, round, draw) {
    let first = 0;
    for (const byte of this.stream(kind, round, draw)) {
      if (byte >= FACES_END) continue;
      const face = (byte % 6) + 1;
      if (first !== 0) yield [first, face];
      first = first === 0 ? face : 0;
    }
  }

  /**
   * One of so many, all equally likely: by the first byte that can be used.
   * @param {Uint8Array} kind
   * @param {number} round
   * @param {number} draw
   * @param {number} count
   */
  oneOf(kind, round, draw, count) {
    const end = 256 - (256 % count);
    for (const byte of this.stream(kind, round, draw)) if (byte < end) return byte % count;
    return 0;
  }

  /** The place of the seat of round 1. */
  firstSeat() {
    const { terms, seats } = this.opening;
    const first = terms.get("first_side");
    if (first === HIGHEST) return this.highest(seats.length);
    return first === "drawn" ? this.oneOf(FIRST_SIDE, 0, 0, seats.length) : seats.indexOf(String(first));
  }

  /**
   * All of so many seats roll, then those that were equal and highest, until one is left.
   * @param {number} count
   */
  highest(count) {
    const pairs = this.pairs(FIRST_SIDE, 0, 0);
    let seats = [...Array(count).keys()];
    while (seats.length > 1) {
      const sums = seats.map(() => (pairs.next().value ?? []).reduce((sum, face) => sum + face, 0));
      const most = Math.max(...sums);
      seats = seats.filter((_, at) => sums[at] === most);
    }
    return seats[0] ?? 0;
  }

  /**
   * The roll for this round, looked for from this draw on.
   * @param {number} round
   * @param {number} draw
   */
  roll(round, draw) {
    const { terms } = this.opening;
    const withoutSeven = round <= Number(terms.get("rounds_without_seven")) || (draw > 0 && terms.get("allow_consecutive_sevens") === false);
    for (let at = draw; ; at += 1) {
      const [first = 0, second = 0] = this.pairs(ROUND, round, at).next().value ?? [];
      if (first + second !== 7 || !withoutSeven) return { dice: [first, second], draw: at };
    }
  }

  /**
   * Where the robber goes after the 7 of this round at this draw.
   * @param {number} round
   * @param {number} draw
   * @returns {{ target: Json, dice: number[] | null }}
   */
  target(round, draw) {
    const targets = /** @type {Json[]} */ (this.opening.terms.get("robber_targets"));
    if (this.opening.terms.get("robber_target_draw") === "uniform") return { target: targets[this.oneOf(ROBBER, round, draw, targets.length)] ?? null, dice: null };
    for (const [first = 0, second = 0] of this.pairs(ROBBER, round, draw)) {
      const target = first + second === 7 ? "desert" : BigInt(first + second);
      if (targets.includes(target)) return { target, dice: [first, second] };
    }
    return { target: null, dice: null };
  }
}

/**
 * Every turn that the hall must see, in order, without end.
 * @param {Rolls} rolls
 */
export function* legalTurns(rolls) {
  const { seats, afterRobber } = rolls.opening;
  const phase = afterRobber === NO_PHASE ? "turn" : "round";
  let seat = rolls.firstSeat();
  for (let due = 1; ; due += 1, seat += 1) {
    let { dice, draw } = rolls.roll(due, 0);
    while (isSeven(dice) && phase === "round") {
      yield turnText("robber", due, null, dice, draw, rolls.target(due, draw));
      if (afterRobber === "other_side") seat += 1;
      ({ dice, draw } = rolls.roll(due, draw + 1));
    }
    yield turnText(phase, due, seats[seat % seats.length] ?? null, dice, draw, { target: null, dice: null });
  }
}

/** @param {number[]} dice */
function isSeven([first = 0, second = 0]) {
  return first + second === 7;
}

/**
 * What the seed decides in a `turned` line, as canonical JSON.
 * @param {"round" | "robber" | "turn"} phase
 * @param {number} due
 * @param {string | null} side
 * @param {number[]} dice
 * @param {number} draw
 * @param {{ target: Json, dice: number[] | null }} robber
 */
function turnText(phase, due, side, dice, draw, robber) {
  const whole = (/** @type {number[]} */ values) => values.map(BigInt);
  /** @type {Record<string, Json>} */
  const turn = {
    phase,
    round: BigInt(phase === "robber" ? due - 1 : due),
    due_round: BigInt(due),
    side,
    dice: whole(dice),
    draw: BigInt(draw),
    robber_target: robber.target,
    robber_dice: robber.dice === null ? null : whole(robber.dice),
  };
  return canonical(new Map(Object.entries(turn)));
}
