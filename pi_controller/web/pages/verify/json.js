// JSON as Python reads it: whole numbers stay whole however long, and `1`, `1.0` and `true` are three values; and values as Python's
// `repr` quotes them. Pure.

/**
 * @typedef {null | boolean | string | bigint | number | Json[] | Map<string, Json>} Json
 * A whole number is a bigint, one with a fraction or an exponent a number; an object is a map, whose last of several
 * equal names counts.
 */

/** The text is no JSON, or has no text of its own in UTF-8. */
export class NoJson extends Error {}
/** More is nested in it than a reader can follow. */
export class TooDeep extends Error {}

const LONGEST_WHOLE = 4300; // digits that Python turns into a number
const DEEPEST_READ = 980; // Python's reader gives up near here; what counts as too deep is far less
const PIECE = /\\.|["[\]{}]|-?[0-9][0-9.eE+-]*|NaN|-?Infinity/gsu; // what is escaped, the ends of a text, a bracket, a number
const NUMBER = /^-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$/;
const ENDLESS = ["NaN", "Infinity", "-Infinity"];
const HALF = /[\ud800-\udfff]/u; // of a pair of UTF-16, alone
const [TEXT, DIGITS] = ["t", "n"]; // so begin texts and numbers on their way through the browser's reader

/**
 * The value of a JSON text; NoJson, TooDeep. The browser's reader gets every number as a text, so that its digits come back as they stand.
 * @param {string} text
 * @returns {Json}
 */
export function parse(text) {
  let depth = 0;
  let inText = false;
  const marked = text.replace(PIECE, (piece) => {
    if (piece === '"') {
      inText = !inText;
      return inText ? `"${TEXT}` : piece;
    }
    if (inText || piece.startsWith("\\")) return piece;
    if (!"[]{}".includes(piece)) return `"${DIGITS}${piece}"`;
    depth += "[{".includes(piece) ? 1 : -1;
    if (depth > DEEPEST_READ) throw new TooDeep();
    return piece;
  });
  try {
    return JSON.parse(marked, (_, value) => unmarked(value));
  } catch (problem) {
    throw problem instanceof SyntaxError ? new NoJson() : problem;
  }
}

/**
 * What stood in the text; what is inside of it is unmarked already.
 * @param {null | boolean | string | Json[] | Record<string, Json>} value
 * @returns {Json}
 */
function unmarked(value) {
  if (typeof value === "string") return value.startsWith(TEXT) ? value.slice(1) : numberOf(value.slice(1));
  if (value === null || typeof value === "boolean" || Array.isArray(value)) return value;
  const names = Object.keys(value);
  if (!names.every((name) => name.startsWith(TEXT))) throw new NoJson();
  return new Map(names.map((name) => [name.slice(1), value[name] ?? null]));
}

/** @param {string} digits */
function numberOf(digits) {
  if (ENDLESS.includes(digits)) return Number(digits);
  const found = NUMBER.exec(digits);
  if (found === null) throw new NoJson();
  if (found[1] !== undefined || found[2] !== undefined) return Number(digits);
  if (digits.replace("-", "").length > LONGEST_WHOLE) throw new NoJson();
  return BigInt(digits);
}

/**
 * How many objects and lists are inside each other.
 * @param {Json} value
 */
export function depthOf(value) {
  let depth = 0;
  for (let layer = [value]; ; depth += 1) {
    layer = layer.filter((each) => Array.isArray(each) || each instanceof Map);
    if (layer.length === 0) return depth;
    layer = layer.flatMap((each) => (each instanceof Map ? [...each.values()] : /** @type {Json[]} */ (each)));
  }
}

/**
 * The one canonical text of this value (docs/dice.md); NoJson where it has none.
 * @param {Json} value
 * @returns {string}
 */
export function canonical(value) {
  if (typeof value === "string") return quoted(value);
  if (typeof value === "number") return fractionText(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!(value instanceof Map)) return String(value);
  const members = [...value].sort(([one], [other]) => inOrder(one, other));
  return `{${members.map(([name, each]) => `${quoted(name)}:${canonical(each)}`).join(",")}}`;
}

/**
 * By code points, as Python sorts: those beyond the first 65,536 come last, which two halves of UTF-16 would not.
 * @param {string} one
 * @param {string} other
 */
export function inOrder(one, other) {
  const [mine, theirs] = [Array.from(one), Array.from(other)];
  const place = mine.findIndex((sign, at) => sign !== theirs[at]);
  if (place === -1) return mine.length - theirs.length;
  return (mine[place]?.codePointAt(0) ?? 0) - (theirs[place]?.codePointAt(0) ?? -1);
}

/** @param {string} text */
function quoted(text) {
  if (HALF.test(text)) throw new NoJson();
  return JSON.stringify(text);
}

/**
 * A number with a fraction as Python writes it: the shortest text that reads back the same.
 * @param {number} value
 */
function fractionText(value) {
  if (!Number.isFinite(value)) throw new NoJson();
  if (value === 0) return Object.is(value, -0) ? "-0.0" : "0.0";
  const [digits = "", power = ""] = Math.abs(value).toExponential().split("e");
  const sign = value < 0 ? "-" : "";
  const exponent = Number(power);
  if (exponent < -4 || exponent >= 16) return `${sign}${digits}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
  const all = digits.replace(".", "");
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${all}`;
  const whole = all.slice(0, exponent + 1).padEnd(exponent + 1, "0");
  return `${sign}${whole}.${all.slice(exponent + 1) || "0"}`;
}

// Values of a file as the sentences of the verifiers quote them: `repr` of Python. Pure.

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
