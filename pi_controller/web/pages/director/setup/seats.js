// Who sits at the one table, in the order of the turns: until the start they can be named, moved, join and leave.

import { html } from "../../vendor/lit-html/lit-html.js";
import { repeat } from "../../vendor/lit-html/directives/repeat.js";
import { symbol } from "../../components/symbol.js";
import { part } from "../../dom.js";
import { nameOf } from "../../seats.js";
import { word } from "../../words.js";

/**
 * @import { Desk } from "../desk.js"
 * @typedef {Api.SeatChoiceBody["id"]} Colour
 */

/** @type {Record<Colour, string>} */
const SIGNS = { red: "square", blue: "circle", white: "diamond", orange: "triangle", green: "star", brown: "cross" };
const COLOURS = /** @type {Colour[]} */ (Object.keys(SIGNS));
const FEWEST = 3;
const MOVES = /** @type {const} */ ([[-1, "↑", "seats_earlier"], [1, "↓", "seats_later"]]);

/** @param {Desk} desk */
export function seatsForm(desk) {
  let inForce = "";
  /** @type {Colour[]} */
  let sitting = []; // their names stand in the fields, as they are now

  /** @param {string} id */
  const named = (id) => nameOf({ seats: desk.picture?.seats ?? [] }, id);

  /** @param {Colour[]} changed */
  function set(changed) {
    sitting = changed;
    desk.redraw();
  }

  /**
   * Round the table: before the first place comes the last one. The button keeps the focus, though its line moves.
   * @param {number} at
   * @param {number} by
   * @param {HTMLButtonElement} button
   */
  function move(at, by, button) {
    const order = [...sitting];
    order.splice((at + by + sitting.length) % sitting.length, 0, ...order.splice(at, 1));
    set(order);
    button.focus();
  }

  /**
   * @param {Colour} id
   * @param {number} at
   */
  function line(id, at) {
    const side = nameOf({ seats: [] }, id);
    return html`<li class="seat-line"><span class="sitting" data-colour=${id}>${symbol(SIGNS[id])}</span>
      <input name=${id} maxlength="16" autocomplete="off" aria-label=${side} placeholder=${side} value=${named(id) === side ? "" : named(id)}>
      ${MOVES.map(([by, sign, key]) => html`<button type="button" class="plain" aria-label=${word(key, { side })} @click=${(/** @type {any} */ event) => move(at, by, event.currentTarget)}>${sign}</button>`)}
      <button type="button" class="plain" aria-label=${word("seats_remove", { side })} ?disabled=${sitting.length <= FEWEST} @click=${() => set(sitting.filter((each) => each !== id))}>×</button></li>`;
  }

  return {
    /** What `arm` is told of them. */
    said() {
      const written = new FormData(part("seats-form"));
      const seats = sitting.map((id) => ({ id, name: String(written.get(id)).trim() }));
      return { rule_set: desk.picture?.rule_set ?? null, seats, turn_seconds: Number(written.get("seconds")) };
    },
    /** @param {Api.Picture} picture */
    draw({ game_id: game, schedule, seats }) {
      const now = JSON.stringify([game, seats]); // only others than before take the place of what is being written
      if (now !== inForce) [inForce, sitting] = [now, seats.map(({ id }) => /** @type {Colour} */ (id))];
      const free = COLOURS.filter((id) => !sitting.includes(id));
      return html`<form data-is="seats-form" class="seats-form" @submit=${(/** @type {Event} */ event) => event.preventDefault()}>
        <h3>${word("seats_title")}</h3><p class="hint">${word("seats_help")}</p>
        <ol class="steps">${repeat(sitting, (id) => `${inForce} ${id}`, line)}</ol>
        <div class="row"><button type="button" data-is="seats-add" ?disabled=${free.length === 0} @click=${() => set([...sitting, ...free.slice(0, 1)])}>${word("seats_add")}</button></div>
        <div class="fields"><label><span>${word("seats_seconds")}</span><input name="seconds" type="number" min="0" max="3600" inputmode="numeric" value=${schedule[0]?.seconds ?? 0}></label></div>
      </form>`;
    },
  };
}
