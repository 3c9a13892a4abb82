// The last change of a contact and its bounce, from raw edges.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Edges } from "../../pi_controller/web/pages/hardware/edges.js";

/** Edges of a contact at these milliseconds, closing first. */
function edgesAt(contact, ...times) {
  return times.map((at, index) => ({ contact, closed: index % 2 === 0, at_ns: at * 1e6, trusted: true }));
}

test("without edges there is no change", () => {
  assert.equal(new Edges().lastChange(), null);
});

test("a clean edge is a change without bounce", () => {
  const edges = new Edges();
  edges.add(edgesAt("no", 1_000, 1_200));
  const change = edges.lastChange();
  assert.deepEqual([change.contact, change.edges.length, change.beginMs, change.bounceMs], ["no", 1, 1_200, 0]);
});

test("edges closer than 30 ms are one change; the other contact's do not count", () => {
  const edges = new Edges();
  edges.add(edgesAt("no", 500, 1_000, 1_002, 1_005));
  edges.add(edgesAt("nc", 1_001), 0);
  edges.add([{ contact: "no", closed: true, at_ns: 1_034e6, trusted: true }], 2);
  const change = edges.lastChange();
  assert.deepEqual([change.edges.length, change.beginMs, change.bounceMs], [4, 1_000, 34]);
  assert.equal(edges.dropped, 2);
});

test("a rest of 30 ms ends the bounce, and only the newest 2,000 edges are kept", () => {
  const edges = new Edges();
  edges.add(edgesAt("no", ...Array.from({ length: 2_100 }, (_, index) => index * 30)));
  assert.equal(edges.all.length, 2_000);
  assert.equal(edges.lastChange().edges.length, 1);
});
