// Reads the lines of an exported game: canonical JSON and the chain of hashes. Pure.

import { NoJson, TooDeep, canonical, depthOf, parse } from "./json.js";
import { repr } from "./python.js";
import { hex, sha256, utf8 } from "./sha256.js";

/**
 * @import { Json } from "./json.js"
 * @import { Said } from "../filling.js"
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
  const [record, text, written] = readJson(line, raw);
  if (!(record instanceof Map) || written !== text) throw new Refused("verify.line_is_not_an_object", { line });
  return record;
}

/**
 * @param {number} line
 * @param {Uint8Array} raw
 * @returns {[Json, string, string]} the value, its text, and the text that it should have
 */
function readJson(line, raw) {
  try {
    const text = DECODER.decode(raw);
    const value = parse(text);
    if (depthOf(value) > DEEPEST) throw new TooDeep();
    return [value, text, canonical(value)];
  } catch (problem) {
    if (problem instanceof TooDeep) throw new Refused("verify.line_is_nested_too_deeply", { line });
    if (problem instanceof NoJson || problem instanceof TypeError) throw new Refused("verify.line_is_not_json_in_utf", { line });
    throw problem;
  }
}
