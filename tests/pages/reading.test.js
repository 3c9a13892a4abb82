// What a room picture says at a moment: times, scenes, texts of times.

import assert from "node:assert/strict";
import { test } from "node:test";

import * as reading from "../../pi_controller/web/pages/lib/reading.js";

const picture = {
  phase: "round",
  paused: false,
  running: true,
  rate: 1,
  as_of_ms: 10_000,
  remaining_ms: 5_000,
  resume_in_ms: null,
  timer: null,
  message: null,
  round: 7,
  last_round: null,
  pause_reasons: [],
  health: { level: "ok", messages: [], lost: false },
};

const link = { role: "follower", state: "following", heard_ms: 9_000, lost_ms: null, frozen: false, stopped: false };

test("of a link is told what people must know, and nothing where all is well", () => {
  const news = (changes, now = 10_100) => reading.linkNews({ ...picture, link: { ...link, ...changes } }, now);
  assert.equal(reading.linkNews({ ...picture, link: null }, 10_100), "");
  assert.equal(news({}), "");
  assert.equal(news({ heard_ms: null, state: "no_broker" }), "none");
  assert.equal(news({ lost_ms: 9_000, state: "no_broker" }), "lost");
  assert.equal(news({ lost_ms: 9_000, stopped: true }), "stopped");
  assert.equal(news({ stopped: true }), "", "an answer that comes at once needs no banner");
  assert.equal(news({ stopped: true }, 10_500), "stopped");
  assert.equal(news({ role: "leader", heard_ms: null, state: "leading" }), "");
  assert.equal(news({ role: "leader", heard_ms: null, state: "refused" }), "refused");
  assert.equal(news({ role: "leader", heard_ms: null, state: "divided" }), "refused");
});

test("what stands still for want of news alone is no pause", () => {
  const still = { ...picture, paused: true, running: false, pause_reasons: ["fault"] };
  assert.equal(reading.sceneOf({ ...still, link: { ...link, lost_ms: 9_000, frozen: true } }), "play");
  assert.equal(reading.sceneOf({ ...still, link: { ...link, lost_ms: 9_000, frozen: true, stopped: true } }), "pause");
  assert.equal(reading.sceneOf({ ...still, link: { ...link, lost_ms: 9_000 } }), "pause", "the leading hall paused before");
  assert.equal(reading.sceneOf({ ...still, link: null }), "pause");
});

test("the time of the phase runs on from the picture's own moment, at its rate, down to 0", () => {
  assert.equal(reading.remainingMs(picture, 12_000), 3_000);
  assert.equal(reading.remainingMs({ ...picture, rate: 10 }, 10_400), 1_000);
  assert.equal(reading.remainingMs(picture, 99_000), 0);
  assert.equal(reading.remainingMs(picture, 9_000), 5_000, "a clock behind the picture adds nothing");
  assert.equal(reading.remainingMs({ ...picture, running: false }, 12_000), 5_000);
});

test("the 3-2-1 and the free timer count down where there are any", () => {
  assert.equal(reading.resumeInMs(picture, 12_000), null);
  assert.equal(reading.resumeInMs({ ...picture, resume_in_ms: 3_000 }, 12_000), 1_000);
  assert.equal(reading.timerMs(picture, 12_000), null);
  const timer = { label: "Doors", remaining_ms: 60_000, running: true };
  assert.equal(reading.timerMs({ ...picture, timer }, 12_000), 58_000);
  assert.equal(reading.timerMs({ ...picture, timer: { ...timer, running: false } }, 12_000), 60_000);
});

test("the director's line goes when its time is over", () => {
  const line = (message) => reading.messageOf({ ...picture, message }, 12_000)?.text ?? null;
  assert.equal(line(null), null);
  assert.equal(line({ text: "", until_ms: null }), null);
  assert.equal(line({ text: "Lunch", until_ms: null }), "Lunch");
  assert.equal(line({ text: "Lunch", until_ms: 12_001 }), "Lunch");
  assert.equal(line({ text: "Lunch", until_ms: 12_000 }), null);
});

test("each standing of the game has its scene", () => {
  const scene = (change) => reading.sceneOf({ ...picture, ...change });
  assert.equal(scene({}), "play");
  assert.equal(scene({ phase: "robber" }), "play");
  assert.equal(scene({ phase: "ready" }), "ready");
  assert.equal(scene({ paused: true }), "pause");
  assert.equal(scene({ paused: true, resume_in_ms: 2_000 }), "countin");
  assert.equal(scene({ phase: "ready", resume_in_ms: 2_000 }), "countin");
  assert.equal(scene({ phase: "ended", paused: true, resume_in_ms: 2_000 }), "ended");
});

test("rounds to come", () => {
  assert.equal(reading.roundsLeft(picture), null);
  assert.equal(reading.roundsLeft({ ...picture, last_round: 9 }), 2);
  assert.equal(reading.roundsLeft({ ...picture, last_round: 6 }), 0);
});

test("whole seconds up to 99, the present one counted; then minutes and hours", () => {
  assert.deepEqual([0, 1, 1_000, 1_001, 99_000].map(reading.secondsText), ["0", "1", "1", "2", "99"]);
  assert.deepEqual([99_001, 120_000, 3_599_001].map(reading.secondsText), ["1:40", "2:00", "1:00:00"]);
  assert.deepEqual([59_000, 3_600_000, 7_265_000].map(reading.clockText), ["0:59", "1:00:00", "2:01:05"]);
});

test("hexadecimal figures stand in groups of four", () => {
  assert.equal(reading.groupedHex("3fa9c1d27be0"), "3fa9 c1d2 7be0");
  assert.equal(reading.groupedHex("3fa9c1d27be0", 2), "3fa9 c1d2 …");
  assert.equal(reading.groupedHex(""), "");
});

test("why play is paused, as keys; after a restart they tell whether something was lost", () => {
  const keys = (lost) => reading.reasonKeys({ ...picture, pause_reasons: ["button", "recovery"], health: { ...picture.health, lost } });
  assert.deepEqual(keys(false), ["reason_button", "reason_recovery"]);
  assert.deepEqual(keys(true), ["reason_button", "reason_recovery_lost"]);
  const still = { ...picture.health, lost: false, items: [{ key: "computer.disk_full" }, { key: "health.stood_still_paused" }] };
  assert.deepEqual(reading.reasonKeys({ ...picture, pause_reasons: ["recovery"], health: still }), ["reason_recovery_still"]);
});
