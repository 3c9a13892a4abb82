// The claim button of a seat: held for as long as a table node's, with the moment at which the press began.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { sceneOf } from "../reading.js";
import { word } from "../words.js";

/** @import { SeatLine } from "./seat_line.js" */

const HOLD_MS = 600; // as at a table node

export class ClaimButton {
  /** @type {number | null} */
  #timer = null;

  /**
   * @param {SeatLine} line
   * @param {() => void} redraw
   */
  constructor(line, redraw) {
    this.line = line;
    this.redraw = redraw;
  }

  /**
   * @param {Phone.PhonePicture} picture
   * @param {{ board: string, side: string }} seat
   */
  draw(picture, seat) {
    const { line } = this;
    if (line.state === "wrong") return html`<p class="seat-news bad" role="status">${word("seat_wrong")}</p>`;
    if (line.state === "taken") return html`<div class="seat-news bad" role="status"><p>${word("seat_taken")}</p><button @click=${() => line.takeBack()}>${word("seat_take_back")}</button></div>`;
    const standing = picture.claims.some((claim) => claim.board === seat.board && claim.side === seat.side);
    return html`<div class="claim-place">
      <p class="seat-news" data-is="seat-news" role="status">${this.#news(standing)}</p>
      ${this.#button(picture, seat, standing)}
    </div>`;
  }

  /** @param {boolean} standing */
  #news(standing) {
    const { claim, state } = this.line;
    if (standing) return word("seat_claim_stands");
    if (claim !== null && !claim.done) return word("seat_claim_sent");
    if (claim?.refused) return claim.refused.join(" ");
    return state === "away" || this.line.errorNow() === null ? word("seat_no_line") : "";
  }

  /**
   * @param {Phone.PhonePicture} picture
   * @param {{ side: string }} seat
   * @param {boolean} standing
   */
  #button(picture, seat, standing) {
    if (standing || ["collecting", "ended", "ready"].includes(picture.phase)) return nothing;
    const own = picture.side === seat.side || sceneOf(picture) === "pause";
    const ready = own && this.line.state === "here" && this.line.errorNow() !== null;
    return html`<button class="claim-button" data-is="claim" data-held=${this.#timer !== null} ?disabled=${!ready}
      @pointerdown=${(/** @type {PointerEvent} */ event) => this.#press(event)} @pointerup=${() => this.#release()} @pointercancel=${() => this.#release()} @pointerleave=${() => this.#release()}
      @keydown=${(/** @type {KeyboardEvent} */ event) => this.#key(event)} @keyup=${() => this.#release()} @contextmenu=${(/** @type {Event} */ event) => event.preventDefault()}>${word(own ? "seat_hold" : "seat_wait")}</button>`;
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if ((event.key === " " || event.key === "Enter") && !event.repeat) this.#press(event);
  }

  /** @param {UIEvent} event */
  #press(event) {
    this.#release();
    const pressed = event.timeStamp;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.line.send(pressed);
    }, HOLD_MS);
    this.redraw();
  }

  #release() {
    if (this.#timer === null) return;
    clearTimeout(this.#timer);
    this.#timer = null;
    this.redraw();
  }
}
