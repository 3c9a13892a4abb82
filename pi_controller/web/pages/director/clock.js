// Time of the present phase: add, take away, end it; and that only one side has got some.

import { html } from "../vendor/lit-html/lit-html.js";
import { seatOf } from "../seats.js";
import { numberText, word } from "../words.js";

/** @import { Desk } from "./desk.js" */

const CHANGES_MS = /** @type {const} */ ([["sub15", -15_000], ["sub5", -5_000], ["add5", 5_000], ["add15", 15_000]]);

/**
 * Which side has gained more time than the others, or ""; after an end it is of no use any more.
 * @param {Api.Picture | null} picture
 */
function unevenText(picture) {
  if (picture === null || picture.phase === "ended") return "";
  const gained = picture.seats.map(({ id }) => ({ id, ms: picture.gained_ms[id] ?? 0 })).sort((one, other) => other.ms - one.ms);
  const [most, least] = [gained[0], gained.at(-1)];
  if (most === undefined || least === undefined || most.ms === least.ms) return "";
  const [side, other] = [seatOf(picture, most.id).name, seatOf(picture, least.id).name];
  return word("gained_uneven", { side, other, seconds: numberText((most.ms - least.ms) / 1_000) });
}

/** @param {Desk} desk */
export function clockCard(desk) {
  const change = (/** @type {(typeof CHANGES_MS)[number]} */ [is, ms]) => desk.button("add_time", word(is), () => desk.send("add_time", { ms }), { is });
  return html`<section class="card clock-card" aria-label=${word("clock_title")}>
    <div class="times">${CHANGES_MS.map(change)}${desk.button("skip", word("skip"), () => desk.send("skip"), { is: "skip", look: "risky" })}</div>
    <p class="uneven" data-is="uneven">${unevenText(desk.picture)}</p>
    ${desk.against("add_time", "skip")}
  </section>`;
}
