// What a phone knows of core's clock, and by how much it may be wrong.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Offset } from "../../pi_controller/web/pages/lib/clock.js";

/** Numbers from 0 to 1, the same in every run. */
function draws(seed) {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

test("nothing is known before the first answer, and after a reset", () => {
  const offset = new Offset();
  assert.equal(offset.at(0), null);
  offset.heard(0, 500, 10);
  offset.reset();
  assert.equal(offset.at(0), null);
});

test("half of the way is the error, and the quickest answer counts", () => {
  const offset = new Offset();
  offset.heard(1_000, 5_100, 1_200);
  assert.deepEqual(offset.at(1_200), { core: 5_200, error: 100 });
  offset.heard(1_300, 5_210, 1_320);
  assert.deepEqual(offset.at(1_320), { core: 5_220, error: 10 });
  assert.equal(offset.at(11_320)?.error, 12);
});

test("core's clock lies within the error, whatever the ways take and the clocks drift", () => {
  const draw = draws(7);
  for (let phone = 0; phone < 200; phone += 1) {
    const [wrong, drift] = [(draw() - 0.5) * 1_000, (draw() - 0.5) * 2e-4];
    const own = (/** @type {number} */ core) => core * (1 + drift) + wrong;
    const offset = new Offset();
    for (let number = 0; number < 8; number += 1) {
      const sent = 100_000 + number * 150;
      const [there, back] = [draw() * 100, draw() * 100];
      offset.heard(own(sent), sent + there, own(sent + there + back));
    }
    const pressed = 101_200 + draw() * 8_000;
    const found = offset.at(own(pressed));
    assert.ok(found !== null && Math.abs(found.core - pressed) <= found.error);
  }
});
