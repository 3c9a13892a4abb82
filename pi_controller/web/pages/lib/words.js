// The texts of the pages in the languages that they speak. This module is there when its texts are: pages that import it wait for them.

import { filled, formOf, written } from "./filling.js";

/** @import { Said } from "./filling.js" */

/**
 * @typedef {keyof Words} WordKey
 * @typedef {Readonly<Record<string, string | string[]>>} Catalogue
 */

const PAGES = "page."; // so begin the keys of what only pages say
const RETRY_MS = 1_000;
/** Where the texts of this page are. */
const TEXTS = `/static/words/${document.documentElement.dataset.page}`;

/** The languages of this page, the first one first: of the hall, or of who asks. The server names them. */
export const languages = (document.documentElement.dataset.languages ?? document.documentElement.lang).split(" ");

/** @type {Map<string, Catalogue>} */
const catalogues = new Map();
let spoken = languages[0] ?? "";
let turns = false;

/**
 * Fetches the texts of a language, again and again until they come: without them there is nothing to say.
 * @param {string} language
 */
async function fetchTexts(language) {
  for (;;) {
    try {
      const response = await fetch(`${TEXTS}/${language}.json`);
      if (response.ok) return void catalogues.set(language, await response.json());
    } catch (problem) {
      if (!(problem instanceof TypeError || problem instanceof DOMException)) throw problem;
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

const fetched = languages.map(fetchTexts);
await fetched[0];

/** The language that is spoken now. */
export function spokenLanguage() {
  return spoken;
}

/**
 * From now on the page speaks this one of its languages. False: its texts are not there yet, so everything is as before.
 * @param {string} language
 */
export function speak(language) {
  if (!catalogues.has(language)) return false;
  spoken = language;
  document.documentElement.lang = language;
  return true;
}

/**
 * From now on the words of this way to play take the place of others where there are such.
 * @param {Api.RulesView["play"]} play
 */
export function speakOf(play) {
  turns = play === "turns";
}

/**
 * The address of another page of ours, in the language that the address of this one has chosen.
 * @param {string} path
 */
export function wayTo(path) {
  const [chosen, way] = [new URLSearchParams(location.search).get("lang"), new URL(path, location.href)];
  if (chosen !== null) way.searchParams.set("lang", chosen);
  return way.pathname + way.search;
}

/** @param {string} key */
function textOf(key) {
  const texts = catalogues.get(spoken) ?? {};
  return Object.hasOwn(texts, key) ? texts[key] : undefined;
}

/**
 * The text of the pages' own with this key, in the language that is spoken now.
 * @template {WordKey} Key
 * @param {Key} key
 * @param {keyof Words[Key] extends never ? [] : [params: Words[Key]]} params
 */
export function word(key, ...[params]) {
  const own = `turns_${key}`;
  return inWords({ key: PAGES + (turns && hasWord(own) ? own : key), params: params ?? {} });
}

/**
 * Names as the language lists them in a sentence: "A1, A2 and A3".
 * @param {string[]} names
 */
export function listed(names) {
  return inWords({ key: "list.all", params: { parts: names.map((text) => ({ key: "told.as_it_is", params: { text } })) } });
}

/**
 * Whether there are words for this key; for keys that come over the feed.
 * @param {string} key
 * @returns {key is WordKey}
 */
export function hasWord(key) {
  return textOf(PAGES + key) !== undefined;
}

/**
 * A sentence of the controller; a key without words is a mistake of ours.
 * @param {Said} sentence
 * @returns {string}
 */
function inWords({ key, params }) {
  const text = textOf(key);
  if (text === undefined) throw new Error(`no words for ${key}`);
  return filled(formOf(text, params.count, spoken), params, spoken, inWords);
}

/**
 * What came as a text and perhaps as a sentence: the sentence in the language that is spoken now, else the text as it is.
 * @template {string | null} Text
 * @param {Text} text
 * @param {Said | null | undefined} sentence
 * @returns {Text | string}
 */
export function told(text, sentence) {
  return sentence == null || !isKnown(sentence) ? text : inWords(sentence);
}

/**
 * Whether this page has the words of a sentence and of all in it.
 * @param {Said} sentence
 * @returns {boolean}
 */
function isKnown({ key, params }) {
  return textOf(key) !== undefined && Object.values(params).flat().every((part) => typeof part !== "object" || isKnown(part));
}

/**
 * The same for texts and sentences that come side by side.
 * @param {readonly string[]} texts
 * @param {readonly Said[] | null | undefined} sentences
 */
export function allTold(texts, sentences) {
  return texts.map((text, place) => told(text, sentences?.[place]));
}

/**
 * A number in one of Python's formats, such as `,` or `.1f`, as the language writes it.
 * @param {number} value
 * @param {string} format
 */
export function numberText(value, format = "") {
  return written(value, format, spoken);
}

/**
 * The time of day of a moment, such as 21:04:31, in the time of this place; without `seconds` 21:04. Of null nothing.
 * @param {number | null} wallMs
 */
export function timeText(wallMs, { seconds = true } = {}) {
  if (wallMs === null) return "";
  return new Date(wallMs).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", ...(seconds ? { second: "2-digit" } : {}) });
}

/**
 * A moment as people write it, in the time of this place.
 * @param {string} iso
 */
export function dateText(iso) {
  const language = spoken === "en" ? "en-GB" : spoken;
  return new Date(iso).toLocaleString(language, { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });
}
