// The seat of who holds this phone, kept on the phone alone, and the sheet in which it is chosen.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { symbol } from "../components/symbol.js";
import { inTurns } from "../reading.js";
import { allSeats } from "../seats.js";
import { word } from "../words.js";

/**
 * @import { ClaimButton } from "./claim_button.js"
 * @import { Senses } from "./senses.js"
 * @typedef {{ board: string, side: string }} Seat
 */

const KEY = "seat";
const CODE = "seat-code";
const LONGEST_BOARD = 24;

/** @returns {Seat | null} */
function kept() {
  const said = JSON.parse(localStorage.getItem(KEY) ?? "null");
  return typeof said?.board === "string" && typeof said?.side === "string" ? { board: said.board, side: said.side } : null;
}

/** The seat code that this page was opened with, or an earlier one; null: none. */
function keptCode() {
  const opened = decodeURIComponent(location.hash.slice(1));
  if (opened !== "") {
    localStorage.setItem(CODE, opened);
    history.replaceState(null, "", location.pathname + location.search);
  }
  return localStorage.getItem(CODE);
}

/**
 * Takes the code to the encrypted address where claims go only there.
 * @param {string} code
 */
async function claimsElsewhere(code) {
  if (location.protocol === "https:") return false;
  const answer = await fetch("/api/join").catch((problem) => {
    if (!(problem instanceof TypeError)) throw problem;
    return null;
  });
  /** @type {{ claims?: string | null }} */
  const { claims } = answer?.ok ? await answer.json() : {};
  if (!claims) return false;
  localStorage.removeItem(CODE);
  location.replace(`${claims}${location.search}#${encodeURIComponent(code)}`);
  return true;
}

export class OwnSeat {
  #open = false;
  #seat = kept();
  #code = keptCode();
  /** @type {ClaimButton | null} */
  #claimButton = null;

  /**
   * `redraw()` is called when the seat or its sheet has changed.
   * @param {Senses} senses
   * @param {() => void} redraw
   */
  constructor(senses, redraw) {
    this.senses = senses;
    this.redraw = redraw;
    if (this.#code !== null) this.#hold(this.#code);
  }

  /**
   * Only who has a code loads what claims.
   * @param {string} code
   */
  async #hold(code) {
    if (await claimsElsewhere(code)) return;
    const [{ ClaimButton }, { SeatLine }] = await Promise.all([import("./claim_button.js"), import("./seat_line.js")]);
    const line = new SeatLine({ code, onSeat: (seat) => this.#keep(seat), redraw: this.redraw });
    this.#claimButton = new ClaimButton(line, this.redraw);
  }

  /**
   * What a seat with a code has below the clock; nothing without one.
   * @param {Phone.PhonePicture} picture
   */
  claimPlace(picture) {
    return this.#claimButton === null || this.#seat === null ? nothing : this.#claimButton.draw(picture, this.#seat);
  }

  /** The side of the own seat; null while none is chosen. */
  get side() {
    return this.#seat?.side ?? null;
  }

  /**
   * The button that says the own seat and opens its sheet.
   * @param {Pick<Api.Picture, "seats"> | null} picture
   */
  button(picture) {
    const seat = this.#seat;
    const own = allSeats(picture).find(({ id }) => id === seat?.side);
    return html`<button class="own-seat" data-is="own-seat" data-colour=${own?.colour ?? nothing} aria-expanded=${this.#open} @click=${() => this.#show(!this.#open)}>
      ${own === undefined ? nothing : symbol(own.sign)}<span>${seat === null ? word("phone_choose_seat") : [seat.board, own?.name].filter(Boolean).join(" · ")}</span></button>`;
  }

  /**
   * The sheet in which it is chosen; nothing while it is shut.
   * @param {Pick<Api.Picture, "rules" | "seats"> | null} picture
   */
  sheet(picture) {
    if (!this.#open) return nothing;
    const seat = this.#seat;
    return html`<form class="seat-sheet" data-is="seat-sheet" aria-label=${word("phone_seat")} @submit=${(/** @type {SubmitEvent} */ event) => this.#choose(event)}>
      <h2>${word("phone_seat")}</h2>
      ${picture !== null && inTurns(picture) ? nothing : html`<p class="help">${word("phone_seat_help")}</p>
      <label>${word("board")}<input ?disabled=${this.#code !== null} name="board" data-is="seat-board" required maxlength=${LONGEST_BOARD} autocomplete="off" autocapitalize="characters" .value=${seat?.board ?? ""} placeholder=${word("phone_board_example")}></label>`}
      <fieldset><legend>${word(picture !== null && inTurns(picture) ? "turn_seat" : "side_label")}</legend>${allSeats(picture).map(
        ({ id, name, sign, colour }) => html`<label class="side" data-colour=${colour}><input type="radio" name="side" value=${id} required ?disabled=${this.#code !== null} .checked=${seat?.side === id}>${symbol(sign)}<span>${name}</span></label>`,
      )}</fieldset>
      ${this.senses.switches()}
      <div class="acts"><button class="keep" data-is="keep-seat" ?hidden=${this.#code !== null}>${word("phone_keep_seat")}</button>
      ${seat === null ? nothing : html`<button type="button" @click=${() => this.#keep(null)}>${word("phone_forget_seat")}</button>`}
      <button type="button" @click=${() => this.#show(false)}>${word("close")}</button></div>
    </form>`;
  }

  /** @param {SubmitEvent} event */
  #choose(event) {
    event.preventDefault();
    const form = new FormData(/** @type {HTMLFormElement} */ (event.currentTarget));
    const board = String(form.get("board") ?? "").trim();
    if (board !== "" || !form.has("board")) this.#keep({ board, side: String(form.get("side")) });
  }

  /** @param {Seat | null} seat */
  #keep(seat) {
    this.#seat = seat;
    if (seat === null) this.#forget();
    else localStorage.setItem(KEY, JSON.stringify(seat));
    this.#show(false);
  }

  #forget() {
    localStorage.removeItem(KEY);
    if (this.#code === null) return;
    localStorage.removeItem(CODE);
    location.reload();
  }

  /** @param {boolean} open */
  #show(open) {
    this.#open = open;
    this.redraw();
  }
}
