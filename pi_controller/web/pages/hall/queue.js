// Open claims while the clock runs on: shown at the foot of the screen in press order, until they are judged.

import { make, part, setText, show, symbol } from "../dom.js";
import { inTurns, sceneOf } from "../reading.js";
import { NOBODY, seatFrom } from "../seats.js";
import { boardText } from "../texts.js";
import { word } from "../words.js";
import { seatBox } from "./seat.js";

const MOST_CLAIMS = 3;
const FEW = 2; // so many stand in one line and in large letters
const RUNNING = ["play", "countin"];

/**
 * Open claims with their places in the order of the presses.
 * @param {Api.Picture} picture
 */
export function openClaims(picture) {
  return picture.claims.map((claim, index) => ({ claim, place: index + 1 })).filter(({ claim }) => claim.status === "open" && !claim.passed);
}

/**
 * @param {Api.Picture} picture
 * @param {{ claim: Api.ClaimView, place: number }} queued
 * @param {boolean} many
 */
function chip(picture, { claim, place }, many) {
  const seat = seatFrom(picture, claim);
  const side = seat === null ? [] : [symbol(seat.sign), make("span", "", many || inTurns(picture) ? seat.name : word("claim_queue_side", { side: seat.name }))];
  return seatBox("li", "queued", seat ?? NOBODY, [make("span", "queued-place", `${place}.`), make("b", "", boardText(claim, picture)), ...side]);
}

export function claimQueue() {
  return {
    /** @param {Api.Picture} picture */
    take(picture) {
      const open = RUNNING.includes(sceneOf(picture)) ? openClaims(picture) : [];
      show(part("queue"), open.length > 0);
      show(part("rolls"), open.length === 0);
      if (open.length === 0) return;
      part("queue").classList.toggle("many", open.length > FEW);
      setText(part("queue-title"), word(open.length === 1 ? "queue_one" : "queue_several"));
      const chips = open.slice(0, MOST_CLAIMS).map((entry) => chip(picture, entry, open.length > FEW));
      const more = open.length - MOST_CLAIMS;
      if (more > 0) chips.push(make("li", "queued-more", word("claim_queue_more", { count: more })));
      part("queue-list").replaceChildren(...chips);
    },
  };
}
