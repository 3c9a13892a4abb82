// Before the start: who begins, the seal of the dice, the hall's word, the doors timer.

import { make, part, setText, show, symbol } from "../dom.js";
import { inTurns } from "../reading.js";
import { groupedHex } from "../hex.js";
import { sealTitle } from "../screen_texts.js";
import { allSeats } from "../seats.js";
import { word } from "../words.js";
import { frameTimer } from "./pause.js";
import { SEAL_GROUPS } from "./proof.js";
import { beginsChips, seatBox } from "./seat.js";

const SHOWN_STEPS = 3;

/**
 * The times of rounds or turns in a line; a long schedule is cut.
 * @param {Api.Picture} picture
 */
function timesOf({ rules, schedule }) {
  if (rules.play === "turns") return schedule[0] === undefined ? word("turn_untimed") : word("turn_times", schedule[0]);
  const steps = schedule.slice(0, SHOWN_STEPS).map((step) =>
    step.from_round === 1 ? word("times_first", step) : word("times_from", step),
  );
  return steps.join(", ") + (schedule.length > SHOWN_STEPS ? " …" : "");
}

export function readyScene() {
  return {
    /** @param {Api.Picture} picture */
    take(picture) {
      const begins = beginsChips(picture);
      show(part("first"), begins.length > 0);
      part("first").replaceChildren(...begins);
      const seats = allSeats(picture);
      part("seats").classList.toggle("many", inTurns(picture));
      part("seats").style.setProperty("--seats", String(seats.length));
      part("seats").replaceChildren(...seats.flatMap((seat) => [seatBox("span", "disc", seat, [symbol(seat.sign)]), make("span", "", seat.name)]));
      setText(part("goal"), word("goal", { count: picture.target_points }));
      setText(part("times"), timesOf(picture));
      setText(part("seal-title"), sealTitle(picture));
      setText(part("seal"), groupedHex(picture.commitment, SEAL_GROUPS));
      const spoken = part("hall-word");
      setText(spoken, picture.public_word ?? word("no_word"));
      spoken.classList.toggle("missing", picture.public_word === null);
    },
    /**
     * @param {Api.Picture} picture
     * @param {number} coreNow
     */
    frame(picture, coreNow) {
      frameTimer("ready", picture, coreNow);
      show(part("seats"), picture.timer === null);
    },
  };
}
