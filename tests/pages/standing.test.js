// How each board stands on the map of the tables.
import assert from "node:assert/strict";
import { test } from "node:test";
import { boardsOf } from "../../pi_controller/web/pages/lib/tables.js";

const board = { name: "A1", node: "e6614c311b000001", swapped: false };
const roster = { rows: [{ name: "A", boards: [board] }] };

/** How the board stands whose node says this. */
function standing(node) {
  return boardsOf(roster, { nodes: [{ uid: board.node, state: "good", wordless: false, ...node }] })[0].standing;
}

test("a node that answers stands well", () => {
  assert.equal(standing({}), "good");
  assert.equal(standing({ state: "suspect" }), "suspect");
});

test("a node without the hall's words stands as outdated", () => {
  assert.equal(standing({ wordless: true }), "outdated");
});

test("what is worse goes before", () => {
  assert.equal(standing({ wordless: true, state: "lost" }), "lost");
});
