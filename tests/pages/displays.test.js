// The tables' displays of a game that is seen again: which picture stands where at a moment, and how it is put together.

import assert from "node:assert/strict";
import { test } from "node:test";

import { bitsOf, boardAt, groupsAt } from "../../pi_controller/web/pages/hall/displays.js";

const HALF = 512;
const half = (byte) => btoa(String.fromCharCode(byte).repeat(HALF));
const tables = {
  boards: ["A1", "A2", "B1"],
  halves: [half(0), half(0x0f), half(0xf0), half(0xff)],
  names: [{ A1: [0, 1], A2: [0, 3], B1: [2, 2] }],
  places: [
    { board: "", side: "sun", shown: [[0, 0, 0, 0], [100, 1, 0, -1], [200, 2, 0, -1]] },
    { board: "", side: "moon", shown: [[0, 0, 1, 0], [200, 2, 0, -1]] },
    { board: "A2", side: "sun", shown: [[150, 3, 0, -1], [250, -1, -1, -1]] },
  ],
};
const seen = (atMs) => groupsAt(tables, atMs).map(({ seats }) => seats.map(({ side, boards }) => [side, ...boards].join(" ")));

test("each picture stands once, with all places that show it", () => {
  assert.deepEqual(seen(0), [["sun A1 A2 B1"], ["moon A1 A2 B1"]]);
  assert.deepEqual(seen(149), [["sun A1 A2 B1"], ["moon A1 A2 B1"]]);
  assert.deepEqual(seen(150), [["sun A1 B1"], ["sun A2"], ["moon A1 A2 B1"]]);
  assert.deepEqual(seen(200), [["sun A1 B1", "moon A1 A2 B1"], ["sun A2"]]);
  assert.deepEqual(seen(250), [["sun A1 A2 B1", "moon A1 A2 B1"]]);
});

test("where no board is known the two sides are shown all the same", () => {
  const found = groupsAt({ ...tables, boards: [], names: [], places: tables.places.slice(0, 2) }, 100);
  assert.deepEqual(found.map(({ seats, board }) => [seats[0].side, seats[0].boards.length, board]), [["sun", 0, ""], ["moon", 0, ""]]);
});

test("a board shows its own picture, or that of its side", () => {
  const shown = (board, atMs) => boardAt(tables, board, atMs).map(({ shown: [, left] }) => left);
  assert.deepEqual(shown("A2", 150), [3, 0]);
  assert.deepEqual(shown("A2", 250), [2, 2]);
  assert.deepEqual(shown("A1", 150), [1, 0]);
});

test("a picture is its two halves side by side, with the board's name in it", () => {
  const row = (left, right) => String.fromCharCode(...Array(8).fill(left), ...Array(8).fill(right)).repeat(64);
  assert.equal(atob(bitsOf(tables, [100, 1, 3, -1], "A1")), row(0x0f, 0xff));
  assert.equal(atob(bitsOf(tables, [0, 1, 0, 0], "A1")), row(0x0f, 0x0f));
  assert.equal(atob(bitsOf(tables, [0, 1, 1, 0], "B1")), row(0xff, 0xff));
  assert.equal(atob(bitsOf(tables, [0, 1, 0, 0], "")), row(0x0f, 0));
});
