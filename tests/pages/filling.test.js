// Texts filled in, numbers written and forms chosen as `tests/vectors/words.json` says, which Python is held to as well.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { filled, formOf, written } from "../../pi_controller/web/pages/lib/filling.js";

const vectors = JSON.parse(await readFile(new URL("../vectors/words.json", import.meta.url), "utf-8"));

test("sentences come in the same words as from Python", () => {
  for (const { language, key, params, words } of vectors.sentences) {
    const texts = vectors.texts[language];
    const say = (said) => filled(formOf(texts[said.key], said.params.count, language), said.params, language, say);
    assert.equal(say({ key, params }), words);
  }
});

test("numbers are written as Python writes them", () => {
  for (const { format, value, words } of vectors.formats) {
    for (const [language, word] of Object.entries(words)) assert.equal(written(value, format, language), word, `${value} as ${format}, ${language}`);
  }
});

test("a number chooses the form that gettext chooses", () => {
  for (const [language, chosen] of Object.entries(vectors.plurals)) {
    const forms = ["0", "1", "2"].slice(0, language === "pl" ? 3 : 2);
    for (const [count, form] of Object.entries(chosen)) assert.equal(formOf(forms, Number(count), language), String(form), `${count}, ${language}`);
  }
});

test("a parameter that is missing, or a format that Python does not have, is a mistake of ours", () => {
  assert.throws(() => filled("{board}", {}, "en", String), /no board for/);
  assert.throws(() => written(1, "x", "en"), /no such format/);
});
