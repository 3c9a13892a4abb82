// Values of a file as the sentences of the verifiers quote them: `repr` of Python. Pure.

import { fractionText } from "./json.js";

/** @import { Json } from "./json.js" */

const UNSEEN = /[\p{C}\p{Z}]/u; // what Python does not print as it is; the space alone is printed
/** @type {Readonly<Record<string, string>>} */
const SHORT = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" };

/**
 * @param {Json | undefined} value
 * @returns {string}
 */
export function repr(value) {
  if (value === null || value === undefined) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (typeof value === "string") return text(value);
  if (typeof value === "number") return fractionText(value);
  if (Array.isArray(value)) return `[${value.map(repr).join(", ")}]`;
  if (value instanceof Map) return `{${[...value].map(([name, each]) => `${text(name)}: ${repr(each)}`).join(", ")}}`;
  return String(value);
}

/** @param {string} value */
function text(value) {
  const mark = value.includes("'") && !value.includes('"') ? '"' : "'";
  return mark + Array.from(value, (sign) => (sign === mark ? `\\${sign}` : printed(sign))).join("") + mark;
}

/** @param {string} sign one character */
function printed(sign) {
  const short = SHORT[sign];
  if (short !== undefined) return short;
  if (sign === " " || !UNSEEN.test(sign)) return sign;
  const code = sign.codePointAt(0) ?? 0;
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, "0")}` : `\\U${code.toString(16).padStart(8, "0")}`;
}

/**
 * The word for people, with its code points where two letters may look alike.
 * @param {string} word not empty
 */
export function shownWord(word) {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the question is whether all of it is ASCII
  if (/^[\u0000-\u007f]*$/.test(word)) return repr(word);
  const points = Array.from(word, (sign) => `U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`);
  return `${repr(word)} (${points.join(" ")})`;
}
