// Who claims: the board, or the pause button, and the seat.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { seatFrom } from "../seats.js";
import { boardText } from "../texts.js";
import { symbol } from "./symbol.js";

/**
 * @param {Api.Picture} picture
 * @param {Pick<Api.ClaimView, "board" | "side">} claim
 */
export function claimant(picture, claim) {
  const seat = seatFrom(picture, claim);
  return html`<span class="claim-who">${boardText(claim, picture)}${seat === null ? nothing : html`${symbol(seat.sign)}<span>${seat.name}</span>`}</span>`;
}
