// The words of this page, which it carries with it in all languages: it works without any network.

import { filled, formOf } from "../filling.js";

/**
 * @import { Said } from "../filling.js"
 * @import { WordKey } from "../words.js"
 * @typedef {Readonly<Record<string, { name: string, words: Readonly<Record<string, string | string[]>> }>>} Languages
 */

/** @type {Languages} by their tags; the page was put together with them */
export const LANGUAGES = JSON.parse(document.querySelector("#texts")?.textContent ?? "{}");
const ENGLISH = "en";

let spoken = choice();

/** `?lang=`, else the first language of this browser that the page has, else English. */
function choice() {
  const asked = new URLSearchParams(location.search).get("lang");
  const wanted = [asked ?? "", ...navigator.languages].map((tag) => tag.replace("_", "-"));
  const known = wanted.map((tag) => Object.keys(LANGUAGES).find((name) => name.toLowerCase() === tag.toLowerCase()) ?? tag.split("-")[0] ?? "");
  return known.find((tag) => Object.hasOwn(LANGUAGES, tag)) ?? ENGLISH;
}

/** @param {string} language one of LANGUAGES */
export function speakIn(language) {
  spoken = language;
  document.documentElement.lang = language;
}

export function spokenHere() {
  return spoken;
}

/**
 * @param {Said} sentence
 * @returns {string}
 */
export function inWords({ key, params }) {
  const text = LANGUAGES[spoken]?.words[key];
  if (text === undefined) throw new Error(`no words for ${key}`);
  return filled(formOf(text, params.count, spoken), params, spoken, inWords);
}

/**
 * A text of the page's own that names nothing.
 * @param {WordKey} key
 */
export function own(key) {
  return inWords({ key: `page.${key}`, params: {} });
}
