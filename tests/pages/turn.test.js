// The languages of the hall take turns.

import assert from "node:assert/strict";
import { test } from "node:test";

import { languageOf } from "../../pi_controller/web/pages/hall/turn.js";

const round = (number) => languageOf({ phase: "round", round: number }, ["pt", "en"]);

test("they change with every second round, and begin with the first one", () => {
  assert.deepEqual([1, 2, 3, 4, 5, 6, 7, 8].map(round), ["pt", "en", "en", "pt", "pt", "en", "en", "pt"]);
  assert.equal(languageOf({ phase: "ready", round: 0 }, ["pt", "en"]), "pt");
});

test("each side, which has every second round, hears both", () => {
  assert.deepEqual([1, 3, 5, 7].map(round), ["pt", "en", "pt", "en"]);
  assert.deepEqual([2, 4, 6, 8].map(round), ["en", "pt", "en", "pt"]);
});

test("a robber phase speaks as the round after it, and one language is always spoken", () => {
  assert.equal(languageOf({ phase: "robber", round: 1 }, ["pt", "en"]), round(2));
  assert.equal(languageOf({ phase: "robber", round: 2 }, ["pt", "en"]), round(3));
  assert.equal(languageOf({ phase: "round", round: 7 }, ["pl"]), "pl");
});
