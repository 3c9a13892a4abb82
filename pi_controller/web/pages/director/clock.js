// Time of the present phase: add, take away, end it.

import { part } from "../dom.js";

/** @import { Tools } from "./controls.js" */

const CHANGES_MS = /** @type {const} */ ([["sub15", -15_000], ["sub5", -5_000], ["add5", 5_000], ["add15", 15_000]]);

/** @param {Tools} tools */
export function clockCard({ send, controls }) {
  for (const [name, ms] of CHANGES_MS) controls.bind(part(name), "add_time", () => send("add_time", { ms }));
  controls.bind(part("skip"), "skip", () => send("skip"));
  controls.bind(part("last-go"), "last_rounds", () => {
    const count = part("last-count");
    if (count.reportValidity() && count.value !== "") send("last_rounds", { count: Number(count.value) });
  });
  return { take() {} };
}
