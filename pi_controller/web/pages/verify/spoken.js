// The public word: as the file has it, and what the hall heard written in the same way. Pure.

import { Refused } from "./chain.js";
import { isText } from "./opening.js";

/** @import { Line } from "./chain.js" */

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
