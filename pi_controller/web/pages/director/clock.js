// Time of the present phase: add, take away, end it; and the rounds that are still to come.

import { html } from "../vendor/lit-html/lit-html.js";
import { part } from "../dom.js";
import { word } from "../words.js";

/** @import { Desk } from "./desk.js" */

const CHANGES_MS = /** @type {const} */ ([["sub15", -15_000], ["sub5", -5_000], ["add5", 5_000], ["add15", 15_000]]);

/** @param {Desk} desk */
export function clockCard(desk) {
  const change = (/** @type {(typeof CHANGES_MS)[number]} */ [is, ms]) => desk.button("add_time", word(is), () => desk.send("add_time", { ms }), { is });
  return html`<section class="card">
    <h2>${word("clock_title")}</h2>
    <div class="row">${CHANGES_MS.map(change)}</div>
    <div class="row">${desk.button("skip", word("skip"), () => desk.send("skip"), { is: "skip" })}</div>
    ${desk.against("add_time", "skip")}
  </section>`;
}

/** @param {Desk} desk */
export function lastRoundsCard(desk) {
  function announce() {
    const count = part("last-count");
    if (count.reportValidity() && count.value !== "") desk.send("last_rounds", { count: Number(count.value) });
  }
  return html`<section class="card">
    <h2>${word("last_title")}</h2>
    <div class="fields">
      <label><span>${word("last_help")}</span><input data-is="last-count" type="number" min="0" max="99" value="3" inputmode="numeric"></label>
      ${desk.button("last_rounds", word("announce"), announce, { is: "last-go" })}
    </div>
    ${desk.against("last_rounds")}
  </section>`;
}
