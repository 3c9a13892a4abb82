// How each board stands on the map of the tables.
import assert from "node:assert/strict";
import { test } from "node:test";
import { boardsOf, namesOf, sparesOf } from "../../pi_controller/web/pages/lib/tables.js";

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

test("boards have a standing and are named; nodes that stand nowhere are spares", () => {
  const names = ["A1", "A2", "A3", "A4"];
  const hall = { rows: [{ name: "A", boards: names.map((name, at) => ({ name, node: at === 3 ? null : `n${at}`, swapped: false })) }] };
  const nodes = ["n0", "n2", "n9"].map((uid) => ({ uid, state: "good", wordless: false }));
  const boards = boardsOf(hall, { nodes });
  assert.deepEqual(boards.map((each) => each.standing), ["good", "lost", "good", "unfitted"]);
  assert.equal(namesOf(boards, 2), "A1, A2 +2");
  assert.deepEqual(sparesOf(hall, { nodes }).map(({ uid }) => uid), ["n9"]);
});
