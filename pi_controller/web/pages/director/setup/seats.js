// Who sits at the one table, in the order of the turns: until the start they can be named, join and leave.

import { html } from "../../vendor/lit-html/lit-html.js";
import { repeat } from "../../vendor/lit-html/directives/repeat.js";
import { options } from "../../components/list.js";
import { symbol } from "../../components/symbol.js";
import { part } from "../../dom.js";
import { allSeats, seatOf } from "../../seats.js";
import { word } from "../../words.js";

/**
 * @import { Desk } from "../desk.js"
 * @typedef {{ id: Colour, name: string }} Sitting
 * @typedef {Api.SeatChoiceBody["id"]} Colour
 */

/** @type {Record<Colour, string>} */
const SIGNS = { red: "square", blue: "circle", white: "diamond", orange: "triangle", green: "star", brown: "cross" };
const COLOURS = /** @type {Colour[]} */ (Object.keys(SIGNS));
const FEWEST = 3;

/** @param {Desk} desk */
export function seatsCard(desk) {
  let inForce = "";
  /** @type {Sitting[]} */
  let sitting = []; // with the names that they had; what they are now stands in their fields

  /** The seats of the game take the place of what is being written only when they have changed. */
  function takeSeats() {
    const now = JSON.stringify([desk.picture?.game_id, desk.picture?.seats]);
    if (now === inForce) return;
    inForce = now;
    sitting = (desk.picture?.seats ?? []).map(({ id, name }) => ({ id: /** @type {Colour} */ (id), name: name.toLowerCase() === id ? "" : name }));
  }

  /** @param {Sitting[]} changed */
  function set(changed) {
    sitting = changed;
    desk.redraw();
  }

  function add() {
    const id = COLOURS.find((colour) => !sitting.some((each) => each.id === colour));
    if (id !== undefined) set([...sitting, { id, name: "" }]);
  }

  function arm() {
    if (!part("seats-form").reportValidity()) return;
    const said = new FormData(part("seats-form"));
    const seats = sitting.map(({ id }) => ({ id, name: String(said.get(id) ?? "").trim() }));
    const first = /** @type {Api.ArmBody["first_side"]} */ (said.get("first"));
    desk.send("arm", { rule_set: desk.picture?.rule_set ?? null, seats, first_side: first, turn_seconds: Number(said.get("seconds")) });
  }

  /** @param {Sitting} seat */
  function line({ id, name }) {
    const { name: colour } = seatOf({ seats: [] }, id);
    return html`<li class="seat-line"><span class="sitting" data-colour=${id}>${symbol(SIGNS[id])}</span>
      <input name=${id} maxlength="16" autocomplete="off" aria-label=${colour} placeholder=${colour} value=${name}>
      <button type="button" class="plain" aria-label=${word("seats_remove", { side: colour })} ?disabled=${sitting.length <= FEWEST} @click=${() => set(sitting.filter((each) => each.id !== id))}>×</button></li>`;
  }

  return () => {
    takeSeats();
    const first = allSeats({ seats: sitting.map(({ id, name }) => ({ id, name: name || id, sign: "", colour: id })) }).map(({ id, name }) => /** @type {[string, string]} */ ([id, name]));
    return html`<section class="card" data-is="seats-card" ?hidden=${desk.picture?.phase !== "ready"}>
      <h2>${word("seats_title")}</h2>
      <p class="hint">${word("seats_help")}</p>
      <form data-is="seats-form" class="seats-form"><ol class="steps">${repeat(sitting, ({ id }) => `${inForce} ${id}`, line)}</ol>
      <div class="row"><button type="button" data-is="seats-add" ?disabled=${sitting.length >= COLOURS.length} @click=${add}>${word("seats_add")}</button></div>
      <div class="fields">
        <label><span>${word("first_side")}</span><select name="first">${options([["highest", word("seats_highest")], ["drawn", word("side_drawn")], ...first])}</select></label>
        <label><span>${word("seats_seconds")}</span><input name="seconds" type="number" min="0" max="3600" inputmode="numeric" value=${desk.picture?.schedule[0]?.seconds ?? 0}></label>
        ${desk.button("arm", word("seats_arm"), arm, { is: "seats-arm", look: "do" })}
      </div></form>
    </section>`;
  };
}
