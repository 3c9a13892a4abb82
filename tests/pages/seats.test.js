// Seats as a picture lists them: what is drawn of them, and what a seat without a drawn sign or known colour gets.

import assert from "node:assert/strict";
import { test } from "node:test";

import { openPage } from "./page.js";

openPage("de");
const { actingSeat, allSeats, dueSeat, seatOf } = await import("../../pi_controller/web/pages/lib/seats.js");

const picture = {
  seats: [
    { id: "sun", name: "Sun", sign: "sun", colour: "amber" },
    { id: "hexagon", name: "Hexagon", sign: "octagon", colour: "green" },
    { id: "east", name: "East", sign: "moon", colour: "puce" },
  ],
  seat: null,
  next_seat: null,
};

test("each seat has a name, a sign and a colour that are drawn", () => {
  assert.deepEqual(allSeats(picture), [
    { id: "sun", name: "Sonne", sign: "sun", colour: "amber" },
    { id: "hexagon", name: "Hexagon", sign: "hex", colour: "green" },
    { id: "east", name: "East", sign: "moon", colour: "neutral" },
  ]);
  assert.deepEqual(allSeats(null), []);
});

test("a seat at the one table has the name of its colour, in the language that is spoken, or one of its own", () => {
  const seats = [
    { id: "red", name: "Red", sign: "square", colour: "red" },
    { id: "blue", name: "Anna", sign: "circle", colour: "blue" },
  ];
  const [red, blue] = allSeats({ seats });
  assert.deepEqual([red, blue?.name], [{ id: "red", name: "Rot", sign: "square", colour: "red" }, "Anna"]);
});

test("a seat that is not listed is called by its id", () => {
  assert.deepEqual(seatOf(picture, "north"), { name: "north", sign: "hex", colour: "neutral" });
});

test("who acts, who is to act first, or nobody", () => {
  const turn = { ...picture, seat: 2, next_seat: 0 };
  assert.deepEqual([actingSeat(turn)?.name, dueSeat(turn)?.name], ["East", "East"]);
  const before = { ...picture, next_seat: 1 };
  assert.deepEqual([actingSeat(before), dueSeat(before)?.name], [null, "Hexagon"]);
  assert.equal(dueSeat(picture), null);
});
