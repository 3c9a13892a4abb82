// Where the boards of a row are drawn: neighbours stay neighbours, and nothing leaves the room there is.

import assert from "node:assert/strict";
import { test } from "node:test";

import { pathThrough, placesOf } from "../../pi_controller/web/pages/lib/tables.js";

const row = (count, shape = "straight", angle = 0) => ({ shape, angle, boards: Array.from({ length: count }, () => ({})) });
const apart = (one, other) => Math.hypot(one.x - other.x, one.y - other.y);

for (const shape of ["straight", "ring"]) {
  for (const count of [1, 2, 3, 4, 7, 8, 12, 40]) {
    test(`a ${shape} row of ${count}: one place each, neighbours a step apart, all inside`, () => {
      const { points, width, height, closed } = placesOf(row(count, shape), { width: 330, step: 30 });
      assert.equal(points.length, count);
      assert.equal(new Set(points.map(({ x, y }) => `${x} ${y}`)).size, count);
      assert.ok(width <= 330 && height > 0);
      if (shape === "straight") {
        assert.equal(closed, false);
        for (const [index, point] of points.slice(1).entries()) assert.equal(apart(points[index], point), 30);
      }
    });
  }
}

test("neighbours are drawn as neighbours and nobody sits on another, whatever the room", () => {
  for (const shape of ["straight", "ring", "angled"]) {
    for (const width of [110, 500, 1_200]) {
      for (let count = 1; count < 60; count += 1) {
        const { points, height, closed } = placesOf(row(count, shape, 30), { width, step: 50 });
        assert.ok(points.every(({ x, y }) => x > 0 && x < width && y > 0 && y < height));
        points.forEach((one, at) => {
          const [next] = points.slice(at + 1);
          if (next !== undefined) assert.ok(apart(one, next) >= 49.99 && apart(one, next) <= 80);
          assert.ok(points.slice(at + 1).every((other) => apart(one, other) >= 45));
        });
        if (closed) assert.ok(apart(points[0], points.at(-1)) <= 100);
        if (shape === "ring" && width === 500 && count > 3) assert.ok(closed);
      }
    }
  }
});

test("an angled row swings by its angle", () => {
  const { points } = placesOf(row(3, "angled", 60), { width: 330, step: 30 });
  assert.equal(points[0].y, points[2].y);
  assert.ok(Math.abs(points[1].y - points[0].y - 15) < 1e-9, "never by more than half a step");
});

test("the line goes through all boards, and a ring's comes back", () => {
  const points = [
    { x: 1, y: 2 },
    { x: 3.25, y: 4 },
  ];
  assert.equal(pathThrough({ points, closed: false }), "M1.0 2.0L3.3 4.0");
  assert.equal(pathThrough({ points, closed: true }), "M1.0 2.0L3.3 4.0Z");
  assert.equal(pathThrough({ points: points.slice(1), closed: false }), "");
});
