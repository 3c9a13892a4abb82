// Who claims: the board, or the pause button, and the seat.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { seatOf } from "../seats.js";
import { boardText } from "../texts.js";
import { symbol } from "./symbol.js";

/**
 * @param {Api.Picture} picture
 * @param {Api.ClaimView} claim
 */
export function claimant(picture, claim) {
  const seat = claim.side === null ? null : seatOf(picture, claim.side);
  return html`<span class="claim-who">${boardText(claim, picture)}${seat === null ? nothing : html`${symbol(seat.sign)}<span>${seat.name}</span>`}</span>`;
}
