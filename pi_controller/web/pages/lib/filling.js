// Texts of the catalogue filled in, as `pi_controller/language/words.py` does it. Pure: no DOM, no network.

/**
 * @typedef {{ key: string, params: Record<string, Parameter> }} Said a sentence before it is put into words
 * @typedef {number | string | Said | Said[]} Parameter
 */

const FIELD = /\{\{|\}\}|\{(\w+)(?::([^{}]*))?\}/g;
const NARROW_SPACE = "\u202f"; // between thousands, but where the decimal mark is a point: `language/words.py` says why
const EXACT_PLACES = 40; // more than a number that lies between two roundings has
const GENERAL_DIGITS = 6; // of Python's `g`
/** The order in which a catalogue has the forms of a text, as far as its language has them. */
const CATEGORIES = /** @type {Intl.LDMLPluralRule[]} */ (["zero", "one", "two", "few", "many", "other"]);

/** @type {Map<string, Intl.PluralRules>} */
const plurals = new Map();
/** @type {Map<string, Intl.NumberFormat>} */
const numbers = new Map();

/**
 * The form of a text for so many; a text without forms is the same for all.
 * @param {string | string[]} text
 * @param {Parameter | undefined} count
 * @param {string} language
 */
export function formOf(text, count, language) {
  if (typeof text === "string") return text;
  const rules = plurals.get(language) ?? new Intl.PluralRules(language === "pt" ? "pt-PT" : language);
  plurals.set(language, rules);
  const known = rules.resolvedOptions().pluralCategories;
  const place = CATEGORIES.filter((each) => known.includes(each)).indexOf(rules.select(Number(count)));
  return text[Math.min(place, text.length - 1)] ?? "";
}

/**
 * The text with its parameters in place of their names in braces; `say` puts sentences among them into words.
 * @param {string} text
 * @param {Readonly<Record<string, Parameter>>} params
 * @param {string} language
 * @param {(said: Said) => string} say
 */
export function filled(text, params, language, say) {
  return text.replace(FIELD, (whole, name, format = "") => {
    if (name === undefined) return whole.charAt(0);
    const value = params[name];
    if (value === undefined) throw new Error(`no ${name} for: ${text}`);
    if (typeof value === "string") return value;
    if (typeof value === "number") return written(value, format, language);
    return Array.isArray(value) ? inARow(value.map(say), format) : say(value);
  });
}

/**
 * Texts with what stands between them, behind a bar what stands before the last: `, | and `.
 * @param {string[]} texts
 * @param {string} format
 */
function inARow(texts, format) {
  const [between = "", beforeLast = between] = (format || " ").split("|");
  return texts.length > 1 ? texts.slice(0, -1).join(between) + beforeLast + texts.at(-1) : texts.join("");
}

/**
 * A number in one of Python's formats, with the marks of the language.
 * @param {number} value
 * @param {string} format
 * @param {string} language
 */
export function written(value, format, language) {
  return inMarksOf(language, inEnglish(value, format));
}

/**
 * @param {string} language
 * @param {string} number
 */
function inMarksOf(language, number) {
  if (new Intl.NumberFormat(language).format(0.5).includes(".")) return number;
  const percent = number.endsWith("%") ? new Intl.NumberFormat(language, { style: "percent" }).format(0).slice(1) : "";
  return number.replace(/[.,%]/g, (mark) => ({ ".": ",", "%": percent })[mark] ?? NARROW_SPACE);
}

/**
 * @param {number} value
 * @param {string} format
 */
function inEnglish(value, format) {
  const [, grouped, places, kind] = /^(,?)(?:\.(\d+))?([efgo%]?)$/.exec(format) ?? [];
  if (kind === undefined) throw new Error(`no such format: ${format}`);
  if (kind === "o") return value.toString(8);
  if (kind === "e") return exponential(value, Number(places));
  if (kind === "g") return general(value);
  if (kind === "%") return `${fixed(value * 100, Number(places), false)}%`;
  if (kind === "f") return fixed(value, Number(places), grouped === ",");
  return grouped === "," ? fixed(value, 0, true) : String(value);
}

/**
 * So many places after the point. What lies just between two goes to the even one, as in Python.
 * @param {number} value
 * @param {number} places
 * @param {boolean} grouped
 */
function fixed(value, places, grouped) {
  const name = `${places} ${grouped}`;
  const format = numbers.get(name) ?? new Intl.NumberFormat("en", { minimumFractionDigits: places, maximumFractionDigits: places, useGrouping: grouped, roundingMode: "halfEven" });
  numbers.set(name, format);
  return format.format(/** @type {Intl.StringNumericLiteral} */ (value.toFixed(EXACT_PLACES)));
}

/**
 * @param {number} value
 * @param {number} places
 */
function exponential(value, places) {
  return value.toExponential(places).replace(/(e[+-])(\d)$/, "$10$2");
}

/**
 * Six digits without noughts at their end.
 * @param {number} value
 */
function general(value) {
  const power = Number(value.toExponential(GENERAL_DIGITS - 1).split("e")[1]);
  if (power >= -4 && power < GENERAL_DIGITS) return fixed(value, GENERAL_DIGITS - 1 - power, false).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");
  return exponential(value, GENERAL_DIGITS - 1).replace(/\.?0+e/, "e");
}
