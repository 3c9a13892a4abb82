// Core's clock as a page estimates it: judged by the least delayed message, never ahead, blind after sleep.

import assert from "node:assert/strict";
import { test } from "node:test";

import { CoreClock, forecastWall, systemTime, wallOf } from "../../pi_controller/web/pages/lib/clock.js";

const WALL = 1_700_000_000_000;

test("before the first message nothing is known", () => {
  const clock = new CoreClock();
  assert.equal(clock.at(100), null);
  assert.equal(clock.ageOfNews(100, WALL), Infinity);
  assert.equal(clock.slept(100, WALL), false);
});

test("the message that was delayed least tells the time", () => {
  const clock = new CoreClock();
  clock.heard(1_000, 5_100, WALL);
  clock.heard(2_000, 6_050, WALL + 950);
  clock.heard(3_000, 7_500, WALL + 2_400);
  assert.equal(clock.at(7_500), 3_450);
  assert.equal(clock.ageOfNews(7_500, WALL + 2_400), 450);
});

test("news that overtakes older news stays the newest", () => {
  const clock = new CoreClock();
  clock.heard(2_000, 6_000, WALL);
  clock.heard(1_000, 6_000, WALL);
  assert.equal(clock.ageOfNews(6_500, WALL + 500), 500);
});

test("a sample counts for a minute, so that a quick crystal is followed", () => {
  const clock = new CoreClock();
  clock.heard(0, 100, WALL);
  clock.heard(59_900, 60_005, WALL + 59_905);
  assert.equal(clock.at(60_005), 59_905);
  clock.heard(60_000, 60_105, WALL + 60_005);
  assert.equal(clock.at(60_105), 60_000);
});

test("the estimate is never ahead of core, whatever the delays", () => {
  const clock = new CoreClock();
  let seed = 7;
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  for (let core = 0; core < 120_000; core += 250) {
    const arrived = core + 777 + 400 * random() ** 4;
    clock.heard(core, arrived, WALL + arrived);
    const behind = arrived - 777 - clock.at(arrived);
    assert.ok(behind >= 0 && behind <= 400, `behind by ${behind} ms`);
  }
});

test("a wall clock that goes on alone means that this computer slept", () => {
  const clock = new CoreClock();
  clock.heard(1_000, 5_000, WALL);
  assert.equal(clock.slept(6_000, WALL + 2_000), false, "a second is not yet sleep");
  assert.equal(clock.slept(6_000, WALL + 2_001), true);
  assert.equal(clock.ageOfNews(6_000, WALL + 2_001), Infinity);
});

test("a reset forgets everything", () => {
  const clock = new CoreClock();
  clock.heard(1_000, 5_000, WALL);
  clock.reset();
  assert.equal(clock.at(6_000), null);
  assert.equal(clock.slept(6_000, WALL + 9_000), false);
});

test("a moment of core's clock has no time of day before core's clock is known", () => {
  assert.equal(wallOf(5_000, null), null);
  for (const running of [true, false]) {
    const forecast = { earliest_ms: 60_000, latest_ms: 120_000, basis: "usual" };
    assert.equal(forecastWall({ as_of_ms: 5_000, forecast, rate: 1, running }, null), null);
  }
});

test("then it is as far from now as core's clock says", (context) => {
  context.mock.method(systemTime, "wall", () => WALL);
  assert.equal(wallOf(5_000, 6_000), WALL - 1_000);
});

test("the end is foreseen in game time: at double speed it comes twice as soon, and a pause puts it off", (context) => {
  context.mock.method(systemTime, "wall", () => WALL);
  const seen = { as_of_ms: 5_000, forecast: { earliest_ms: 60_000, latest_ms: 120_000, basis: "usual" }, rate: 2 };
  assert.deepEqual(forecastWall({ ...seen, running: true }, 6_000), { earliest: WALL + 29_000, latest: WALL + 59_000 });
  assert.deepEqual(forecastWall({ ...seen, running: false }, 6_000), { earliest: WALL + 30_000, latest: WALL + 60_000 });
  assert.equal(forecastWall({ ...seen, forecast: null, running: true }, 6_000), null);
});
