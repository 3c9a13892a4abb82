// The sheet in which the own seat is chosen; only who opens it loads it.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { symbol } from "../components/symbol.js";
import { inTurns } from "../reading.js";
import { allSeats } from "../seats.js";
import { word } from "../words.js";
import { CAN_VIBRATE } from "./senses.js";

/**
 * @import { OwnSeat } from "./own_seat.js"
 * @import { Senses } from "./senses.js"
 */

const LONGEST_BOARD = 24;
const CAN_STAY_AWAKE = "wakeLock" in navigator; // in a secure context only: not over plain HTTP

/**
 * @param {OwnSeat} own
 * @param {Pick<Api.Picture, "rules" | "seats"> | null} picture
 */
export function seatSheet(own, picture) {
  const { code, seat } = own;
  const oneTable = inTurns(picture);
  return html`<form class="seat-sheet" data-is="seat-sheet" aria-label=${word("phone_seat")} @submit=${(/** @type {SubmitEvent} */ event) => choose(own, event)}>
    <h2>${word("phone_seat")}</h2>
    ${oneTable ? nothing : html`<p class="help">${word("phone_seat_help")}</p>
    <label>${word("board")}<input ?disabled=${code !== null} name="board" data-is="seat-board" required maxlength=${LONGEST_BOARD} autocomplete="off" autocapitalize="characters" .value=${seat?.board ?? ""} placeholder=${word("phone_board_example")}></label>`}
    <fieldset><legend>${word(oneTable ? "turn_seat" : "side_label")}</legend>${allSeats(picture).map(
      ({ id, name, sign, colour }) => html`<label class="side" data-colour=${colour}><input type="radio" name="side" value=${id} required ?disabled=${code !== null} .checked=${seat?.side === id}>${symbol(sign)}<span>${name}</span></label>`,
    )}</fieldset>
    ${switches(own.senses)}
    <div class="acts"><button class="keep" data-is="keep-seat" ?hidden=${code !== null}>${word("phone_keep_seat")}</button>
    ${seat === null ? nothing : html`<button type="button" @click=${() => own.keep(null)}>${word("phone_forget_seat")}</button>`}
    <button type="button" @click=${() => own.show(false)}>${word("close")}</button></div>
  </form>`;
}

/**
 * What of the phone's senses can be switched here, and what this browser cannot do.
 * @param {Senses} senses
 */
function switches(senses) {
  /** @param {"awake" | "vibrates"} sense */
  const box = (sense) => html`<input type="checkbox" .checked=${senses[sense]} @change=${(/** @type {any} */ { currentTarget }) => (senses[sense] = currentTarget.checked)}>`;
  const vibration = html`<label class="switch">${box("vibrates")}<span>${word("phone_vibrate")}</span></label>`;
  const awake = html`<label class="switch">${box("awake")}<span>${word("phone_awake")}</span></label>`;
  return html`${CAN_VIBRATE ? vibration : nothing}${CAN_STAY_AWAKE ? awake : html`<p class="help">${word("phone_no_awake")}</p>`}`;
}

/**
 * @param {OwnSeat} own
 * @param {SubmitEvent} event
 */
function choose(own, event) {
  event.preventDefault();
  const form = new FormData(/** @type {HTMLFormElement} */ (event.currentTarget));
  const board = String(form.get("board") ?? "").trim();
  if (board !== "" || !form.has("board")) own.keep({ board, side: String(form.get("side")) });
}
