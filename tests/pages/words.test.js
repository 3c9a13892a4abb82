// The texts of a page: in its languages, one after the other, and with a key that is missing said so.

import assert from "node:assert/strict";
import { test } from "node:test";

import { openPage } from "./page.js";

let opened = 0;

/** The texts as a page has them that says these languages. */
async function wordsOf(lang, languages) {
  openPage(lang, languages);
  opened += 1;
  return import(`../../pi_controller/web/pages/lib/words.js?page=${opened}`);
}

test("texts are filled in, and a number chooses their form", async () => {
  const { word } = await wordsOf("en");
  assert.equal(word("sun"), "Sun");
  assert.equal(word("round", { round: 3 }), "Round 3");
  assert.equal(word("points", { count: 1 }), "1 point");
  assert.equal(word("points", { count: 12 }), "12 points");
});

test("a key without words is a mistake of ours; whether it has some can be asked", async () => {
  const { hasWord, word } = await wordsOf("en");
  assert.throws(() => word("nothing_of_the_kind"), /no words for page.nothing_of_the_kind/);
  assert.equal(hasWord("moon"), true);
  assert.equal(hasWord("nothing_of_the_kind"), false);
  assert.equal(hasWord("constructor"), false);
});

test("a sentence of the controller is told in the page's language, one without key as it came", async () => {
  const { allTold, told } = await wordsOf("en");
  const sentence = { key: "list.and", params: { before: { key: "side.sun", params: {} }, next: "A7" } };
  assert.equal(told("otherwise", sentence), "Sun and A7");
  assert.equal(told("as it came", null), "as it came");
  assert.equal(told("of a later release", { key: "later.unknown", params: {} }), "of a later release");
  assert.equal(told("of two releases", { key: "list.and", params: { before: { key: "later.unknown", params: {} }, next: "A7" } }), "of two releases");
  assert.equal(told(null, null), null);
  assert.deepEqual(allTold(["one", "two"], [sentence]), ["Sun and A7", "two"]);
  assert.deepEqual(allTold(["one"], undefined), ["one"]);
});

test("a page in one language has its texts and numbers", async () => {
  const { dateText, languages, numberText, word } = await wordsOf("en-XA");
  assert.deepEqual(languages, ["en-XA"]);
  assert.match(word("paused"), /^\[/);
  assert.equal(numberText(1234.5, ",.1f"), "1,234.5");
  assert.match(dateText("2026-11-23T12:00:00Z"), /2026/);
});

test("a hall with two languages begins in the first and can speak the second", async () => {
  const { languages, numberText, speak, spokenLanguage, word } = await wordsOf("pl", "pl en");
  assert.deepEqual(languages, ["pl", "en"]);
  assert.equal(numberText(1.5, ".1f"), "1,5");
  while (!speak("en")) await new Promise(setImmediate); // its texts come by themselves
  assert.equal(spokenLanguage(), "en");
  assert.equal(document.documentElement.lang, "en");
  assert.equal(word("paused"), "Pause");
  assert.equal(speak("de"), false);
  assert.equal(spokenLanguage(), "en");
});
