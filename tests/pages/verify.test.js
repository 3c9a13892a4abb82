// Reading and writing of JSON in the page that checks games: as Python does it, down to the last sign.

import assert from "node:assert/strict";
import { test } from "node:test";

import { NoJson, TooDeep, canonical, depthOf, parse, repr, shownWord } from "../../pi_controller/web/pages/verify/json.js";
import { normalised, readOpening } from "../../pi_controller/web/pages/verify/opening.js";

test("canonical texts come back as they are", () => {
  for (const text of ["null", "true", "0", "-1", "123456789012345678901234567890", "1.0", "-0.0", "0.1", "1e+16", "1e-05", "0.0001", "1234567890123456.0", "1.5e+300", '"\\u0001\\b\u007f\u2028é🎲"', "[]", '{"a":[1,{"b":null}],"z":"","ｚ":1,"🎲":2}']) {
    assert.equal(canonical(parse(text)), text);
  }
});

test("what is not canonical comes back otherwise", () => {
  for (const [text, written] of [["1e0", "1.0"], ["-0", "0"], ["1E5", "100000.0"], ['"\\u00e9\\/"', '"é/"'], [' [1 , 2] ', "[1,2]"], ['{"b":1,"a":2,"b":3}', '{"a":2,"b":3}'], ['{"🎲":1,"ｚ":2}', '{"ｚ":2,"🎲":1}']]) {
    assert.equal(canonical(parse(text)), written);
  }
});

test("what Python does not read is not read", () => {
  for (const text of ["", "{", "[1,]", "01", "1.", ".5", "+1", "'a'", '"\u0001"', '"\\x"', '"\\u12g4"', "{1:2}", "nul", "1 2", "9".repeat(4301), "\ufeff1", "[".repeat(500)]) {
    assert.throws(() => parse(text), NoJson, text.slice(0, 20));
  }
  assert.throws(() => parse("[".repeat(100_000)), TooDeep);
});

test("a text is read however long it is", () => {
  for (const text of [`"${"x".repeat(20_000_000)}"`, `"${"\\n".repeat(5_000_000)}"`]) assert.ok(String(parse(text)).length >= 5_000_000);
});

test("numbers without end and lone halves of a pair have no text", () => {
  for (const text of ["NaN", "-Infinity", "1e999", '"\\ud83c"', '{"\\udfb2":1}']) assert.throws(() => canonical(parse(text)), NoJson, text);
  assert.equal(canonical(parse('"\\ud83c\\udfb2"')), '"🎲"');
});

test("depth is counted in objects and lists", () => {
  for (const [text, depth] of [["1", 0], ["[]", 1], ['[{"a":[1]},2]', 3], [`${"[".repeat(100)}${"]".repeat(100)}`, 100]]) assert.equal(depthOf(parse(text)), depth);
});

test("values are quoted as in the sentences of Python", () => {
  for (const [text, said] of [["null", "None"], ["true", "True"], ["1.0", "1.0"], ['"it\'s"', '"it\'s"'], ['"a\\"\'"', "'a\"\\''"], ['"\\n\\u200b\\u00ad🎲"', "'\\n\\u200b\\xad🎲'"], ['[1,{"a":false}]', "[1, {'a': False}]"]]) {
    assert.equal(repr(parse(text)), said);
  }
  assert.equal(repr(undefined), "None");
  assert.equal(shownWord("lantern"), "'lantern'");
  assert.equal(shownWord("\u0430 é"), "'\u0430 é' (U+0430 U+0020 U+00E9)");
});

test("a word is written in one way", () => {
  for (const [heard, written] of [["  The Ju\u0308rgen\u2019s\u00a0 HAT ", "the jürgen's hat"], ["STRASSE ẞ ß", "strasse ss ss"], ["Σίσυφος", "σίσυφοσ"], ["ISTANBUL İı", "istanbul iı"], ["ﬁnal Ⅳ", "final iv"], ["\u13a0\uab70", "\u13a0\u13a0"]]) {
    assert.equal(normalised(heard), written);
  }
});

test("more seats than a byte can name are refused at once", () => {
  const terms = { rule_set: "classic", rule_set_version: 1, rounds_without_seven: 0, allow_consecutive_sevens: true, robber_targets: [2], robber_target_draw: "dice", first_side: "drawn", after_robber: "no_phase", schedule: [], claims: "pause", robber_ms: 0, start_countdown_ms: 0, resume_countdown_ms: 0, target_points: 10 };
  const line = (/** @type {number} */ seats) => parse(JSON.stringify({ kind: "game", data: { format: 2, derivation: 2, game_id: "x", rule_set: "classic", rule_set_version: 1, commitment: "0".repeat(64), terms, rules: { sides: [...Array(seats).keys()].map((seat) => [`seat ${seat}`, {}]) } } }));
  const open = (/** @type {number} */ seats) => readOpening({ kind: "game", data: /** @type {any} */ (line(seats)).get("data") });
  assert.equal(open(256).seats.length, 256);
  assert.throws(() => open(257), (/** @type {any} */ error) => error.sentence.key === "verify.line_1_names_too_many_seats" && error.sentence.params.seats === 257);
});
