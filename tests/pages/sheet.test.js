// The claim sheet: what a player begins with, what the pieces are worth, and what two players cannot both hold.

import assert from "node:assert/strict";
import { test } from "node:test";

import { heldByBoth, newSheet, pointsOf } from "../../pi_controller/web/pages/director/count.js";

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

function drafts(...entries) {
  return {
    boards: new Map(entries.map(([id, board]) => [id, board])),
    sheets: new Map(entries.map(([id, , change]) => [id, { ...newSheet(), ...change }])),
  };
}

test("army and route are held once at a board", () => {
  const both = { largest_army: true, longest_route: true };
  assert.deepEqual(heldByBoth("c1", drafts(["c1", "A1", both], ["c2", "A1", { longest_route: true }])), ["longest_route"]);
  assert.deepEqual(heldByBoth("c1", drafts(["c1", "A1", both], ["c2", "A1", both])), ["largest_army", "longest_route"]);
  assert.deepEqual(heldByBoth("c1", drafts(["c1", "A1", both], ["c2", "A2", both])), []);
  assert.deepEqual(heldByBoth("c1", drafts(["c1", "A1", both])), []);
});

test("claims of the button have no board, so nothing is held by both", () => {
  const army = { largest_army: true };
  assert.deepEqual(heldByBoth("c1", drafts(["c1", null, army], ["c2", null, army])), []);
});
