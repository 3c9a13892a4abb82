// The texts: filled in, chosen by the address, and a key that is missing said so.

import assert from "node:assert/strict";
import { test } from "node:test";

/** The texts as a page with this address has them. */
async function wordsAt(search) {
  globalThis.location = { search };
  return import(`../../pi_controller/web/pages/words.js?at=${encodeURIComponent(search)}`);
}

test("texts are filled in, lists are lists", async () => {
  const { word } = await wordsAt("");
  assert.equal(word("sun"), "Sun");
  assert.equal(word("round", { n: 3 }), "Round 3");
  assert.equal(word("claimPoints", { n: 1 }), "1 point");
  assert.equal(word("claimPoints", { n: 12 }), "12 points");
  assert.equal(word("robberHelp").length, 3);
});

test("a key without words is a mistake of ours; whether it has some can be asked", async () => {
  const { hasWord, word } = await wordsAt("");
  assert.throws(() => word("nothingOfTheKind"), /no words for nothingOfTheKind/);
  assert.equal(hasWord("moon"), true);
  assert.equal(hasWord("nothingOfTheKind"), false);
  assert.equal(hasWord("constructor"), false);
});

for (const search of ["?lang=en", "?lang=xx", "?lang=constructor", "?lang="]) {
  test(`an address with ${search} has English`, async () => {
    const { word } = await wordsAt(search);
    assert.equal(word("paused"), "Pause");
  });
}

test("every text can be said without a value that it did not get", async () => {
  const { languages, word } = await wordsAt("");
  const values = new Proxy({}, { get: () => 2 });
  for (const key of Object.keys(languages.en)) {
    const text = [word(key, values)].flat().join(" ");
    assert.doesNotMatch(text, /undefined|NaN|\[object/, key);
  }
});
