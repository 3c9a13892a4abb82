// Before the start: who begins, the seal of the dice, the hall's word, the doors timer.

import { make, part, setText, show, symbol } from "../dom.js";
import { colourOf, groupedHex } from "../reading.js";
import { word } from "../words.js";
import { frameTimer } from "./pause.js";
import { sideName } from "./play.js";
import { SEAL_GROUPS } from "./proof.js";

const SHOWN_STEPS = 3;

/**
 * The round times in a line; a long schedule is cut.
 * @param {Api.ScheduleStep[]} schedule
 */
function timesOf(schedule) {
  const steps = schedule.slice(0, SHOWN_STEPS).map((step) =>
    step.from_round === 1 ? word("timesFirst", step) : word("timesFrom", step),
  );
  return steps.join(", ") + (schedule.length > SHOWN_STEPS ? " …" : "");
}

export function readyScene() {
  return {
    /** @param {Api.Picture} picture */
    take(picture) {
      const first = picture.side ?? picture.next_side;
      const place = part("first");
      show(place, first !== null);
      if (first !== null) {
        const colour = colourOf(first);
        const chip = make("span", `chip ${colour}`, [symbol(colour === "neutral" ? "hex" : colour)]);
        chip.append(make("span", "", word("begins", { side: sideName(first) })));
        place.replaceChildren(chip);
      }
      setText(part("goal"), word("goal", { n: picture.target_points }));
      setText(part("times"), timesOf(picture.schedule));
      setText(part("seal"), groupedHex(picture.commitment, SEAL_GROUPS));
      const spoken = part("hall-word");
      setText(spoken, picture.public_word ?? word("noWord"));
      spoken.classList.toggle("missing", picture.public_word === null);
    },
    /**
     * @param {Api.Picture} picture
     * @param {number} coreNow
     */
    frame(picture, coreNow) {
      frameTimer("ready", picture, coreNow);
      show(part("duo"), picture.timer === null);
    },
  };
}
