// The walk along a row: which board is next, which way it goes, and what came early.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Course, nextOf, openOf, rowToWalk, standingOf } from "../../pi_controller/web/pages/selftest/walking.js";

const old = { skip: Array.prototype.toReversed === undefined && "node 18 has no toReversed; every browser of the pages has" };
const board = (name, sun = false, moon = false, note = "") => ({ board: name, row: "A", sun, moon, note });
const row = (...boards) => ({ name: "A", boards, done: boards.filter((each) => each.sun && each.moon).length });

test("how a board stands", () => {
  const all = [board("A1"), board("A1", true), board("A1", true, true), board("A1", true, true, "sides swapped")];
  assert.deepEqual(all.map(standingOf), ["open", "half", "done", "odd"]);
  assert.deepEqual(openOf([board("A1"), board("A2", true, true), board("A3", true)]), ["A1", "A3"]);
});

test("the next board is the first that is neither done nor passed over, from either end", old, () => {
  const walked = row(board("A1", true, true), board("A2"), board("A3"), board("A4"));
  assert.equal(nextOf(walked, new Set(), false).board, "A2");
  assert.equal(nextOf(walked, new Set(["A2"]), false).board, "A3");
  assert.equal(nextOf(walked, new Set(), true).board, "A4");
  assert.equal(nextOf(walked, new Set(["A2", "A3", "A4"]), false), null);
});

test("the present row comes first as long as there is something to do in it", () => {
  const [done, open] = [row(board("A1", true, true)), { ...row(board("B1")), name: "B" }];
  assert.equal(rowToWalk([done, open], "A").name, "B");
  assert.equal(rowToWalk([open, { ...open, name: "C" }], "C").name, "C");
  assert.equal(rowToWalk([], null), null);
});

test("a row whose last board is heard first is walked from its end", old, () => {
  const course = new Course();
  course.take([row(board("A1"), board("A2"), board("A3"))], new Set());
  assert.equal(course.back("A"), false);
  course.take([row(board("A1"), board("A2"), board("A3", true))], new Set());
  assert.equal(course.back("A"), true);
  assert.equal(course.early.size, 0);
});

test("a board that is heard before its turn is noted with the one whose turn it was", () => {
  const course = new Course();
  const boards = [board("A1"), board("A2"), board("A3"), board("A4")];
  course.take([row(...boards)], new Set());
  boards[2] = board("A3", true);
  course.take([row(...boards)], new Set());
  assert.deepEqual([...course.early], [["A3", "A1"]]);
});

test("what was heard before this page was opened tells nothing of the way", () => {
  const course = new Course();
  course.take([row(board("A1"), board("A2"), board("A3", true))], new Set());
  assert.equal(course.back("A"), false);
});
