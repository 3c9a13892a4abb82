// The seat of who holds this phone, kept on the phone alone.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { symbol } from "../components/symbol.js";
import { allSeats } from "../seats.js";
import { word } from "../words.js";

/**
 * @import { ClaimButton } from "./claim_button.js"
 * @import { Senses } from "./senses.js"
 * @typedef {{ board: string, side: string }} Seat
 */

const KEY = "seat";
const CODE = "seat-code";

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

export class OwnSeat {
  #open = false;
  /** @type {typeof import("./seat_sheet.js").seatSheet | null} */
  #sheet = null; // loaded when it is opened
  /** The own seat; null while none is chosen. */
  seat = kept();
  /** The code that says which it is; null: chosen by hand. */
  code = keptCode();
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
    if (this.code !== null) this.#hold(this.code);
  }

  /** @param {string} path once it is known that the code may be shown here */
  keyed(path) {
    return this.code === null || this.#claimButton === null ? path : `${path}?seat=${encodeURIComponent(this.code)}`;
  }

  /**
   * Only who has a code loads what claims.
   * @param {string} code
   */
  async #hold(code) {
    const [{ ClaimButton }, { SeatLine, claimsElsewhere }] = await Promise.all([import("./claim_button.js"), import("./seat_line.js")]);
    if (await claimsElsewhere(code)) return localStorage.removeItem(CODE);
    const line = new SeatLine({ code, onSeat: (seat) => this.keep(seat), redraw: this.redraw });
    this.#claimButton = new ClaimButton(line, this.redraw);
  }

  /**
   * What a seat with a code has below the clock; nothing without one.
   * @param {Phone.PhonePicture} picture
   */
  claimPlace(picture) {
    return this.#claimButton === null || this.seat === null ? nothing : this.#claimButton.draw(picture, this.seat);
  }

  /**
   * The button that says the own seat and opens its sheet.
   * @param {Pick<Api.Picture, "seats"> | null} picture
   */
  button(picture) {
    const seat = this.seat;
    const own = allSeats(picture).find(({ id }) => id === seat?.side);
    return html`<button class="own-seat" data-is="own-seat" data-colour=${own?.colour ?? nothing} aria-expanded=${this.#open} @click=${() => this.show(!this.#open)}>
      ${own === undefined ? nothing : symbol(own.sign)}<span>${seat === null ? word("phone_choose_seat") : [seat.board, own?.name].filter(Boolean).join(" · ")}</span></button>`;
  }

  /**
   * The sheet in which it is chosen; nothing while it is shut.
   * @param {Pick<Api.Picture, "rules" | "seats"> | null} picture
   */
  sheet(picture) {
    return this.#open && this.#sheet !== null ? this.#sheet(this, picture) : nothing;
  }

  /** @param {boolean} open */
  async show(open) {
    this.#open = open;
    if (open) this.#sheet ??= (await import("./seat_sheet.js")).seatSheet;
    this.redraw();
  }

  /** @param {Seat | null} seat */
  keep(seat) {
    this.seat = seat;
    if (seat === null) this.#forget();
    else localStorage.setItem(KEY, JSON.stringify(seat));
    this.show(false);
  }

  #forget() {
    localStorage.removeItem(KEY);
    if (this.code === null) return;
    localStorage.removeItem(CODE);
    location.reload();
  }
}
