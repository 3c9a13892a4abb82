// The claim sheet: what a player begins with, what the pieces are worth, and what two players cannot both hold.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Drafts, newSheet, pointsOf } from "../../pi_controller/web/pages/lib/claim_count.js";

test("a player begins with 4 points and no resources", () => {
  assert.equal(pointsOf(newSheet()), 4);
  assert.deepEqual(Object.values(newSheet().resources), [0, 0, 0, 0, 0]);
  assert.notEqual(newSheet().resources, newSheet().resources);
});

test("settlement 1, city 2, card 1, and 2 for each foreign direction, army and route", () => {
  const nothing = { ...newSheet(), settlements: 0, cities: 0 };
  const worth = (change) => pointsOf({ ...nothing, ...change });
  assert.equal(worth({ settlements: 5 }), 5);
  assert.equal(worth({ cities: 4 }), 8);
  assert.equal(worth({ victory_cards: 3 }), 3);
  for (const flag of ["foreign_left", "foreign_right", "largest_army", "longest_route"]) assert.equal(worth({ [flag]: true }), 2);
  assert.equal(worth({ resources: { grain: 9, ore: 9, brick: 9, lumber: 9, wool: 9 } }), 0);
});

/** The drafts of these claims: [id, board, what the sheet has besides]. */
function draftsOf(...entries) {
  const drafts = new Drafts();
  drafts.take(entries.map(([id, board]) => ({ id, board })));
  for (const [id, , change] of entries) Object.assign(drafts.sheetOf(id), change);
  return drafts;
}

test("army and route are held once at a board", () => {
  const both = { largest_army: true, longest_route: true };
  const held = (...entries) => draftsOf(["c1", "A1", both], ...entries).heldByBoth("c1");
  assert.deepEqual(held(["c2", "A1", { longest_route: true }]), ["longest_route"]);
  assert.deepEqual(held(["c2", "A1", both]), ["largest_army", "longest_route"]);
  assert.deepEqual(held(["c2", "A2", both]), []);
  assert.deepEqual(held(), []);
});

test("claims of the button have no board, so nothing is held by both", () => {
  const army = { largest_army: true };
  assert.deepEqual(draftsOf(["c1", null, army], ["c2", null, army]).heldByBoth("c1"), []);
});

test("a sheet is kept as long as its claim, and not longer", () => {
  const drafts = draftsOf(["c1", "A1", { cities: 3 }]);
  drafts.take([{ id: "c1", board: "A1" }]);
  assert.equal(drafts.sheetOf("c1").cities, 3);
  drafts.take([]);
  drafts.take([{ id: "c1", board: "A1" }]);
  assert.equal(drafts.sheetOf("c1").cities, 1);
});
