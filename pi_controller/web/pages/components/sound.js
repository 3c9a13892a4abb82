// Mute, softer for whoever speaks, and the test of each loudspeaker; nothing where no sound is set up.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { Actions, once } from "./actions.js";
import { word } from "../words.js";

/** @import { Feed } from "../feed.js" */

const MINUTES = [5, 15];
const MS_PER_MIN = 60_000;

/**
 * `tests`: with the loudspeakers' tests, for whoever fits them.
 * @param {Feed} feed
 * @param {() => void} redraw
 * @param {{ tests: boolean }} options
 */
export function soundCard(feed, redraw, { tests }) {
  /** @type {Actions<"mute" | "release" | "duck" | "unduck" | "test", { minutes?: number, loudspeaker?: "left" | "right" | "both" }>} */
  const actions = new Actions({ path: "/api/sound", redraw });
  const button = (/** @type {string} */ text, /** @type {() => Promise<unknown>} */ act) => html`<button type="button" @click=${once(act)}>${text}</button>`;

  /** @param {Api.MuteView} muted */
  function state(muted) {
    const until = muted.until_ms;
    const now = feed.coreNow();
    if (until === null || now === null) return word("sound_muted");
    return word("sound_muted_for", { minutes: Math.max(1, Math.ceil((until - now) / MS_PER_MIN)) });
  }

  const testRow = () => html`<div class="row">
    ${button(word("sound_test_left"), () => actions.do("test", { loudspeaker: "left" }))}
    ${button(word("sound_test_right"), () => actions.do("test", { loudspeaker: "right" }))}
    ${button(word("sound_test_both"), () => actions.do("test", { loudspeaker: "both" }))}
  </div>`;

  return () => {
    const sound = feed.picture?.sound ?? null;
    if (sound === null) return nothing;
    const { muted, ducked } = sound;
    return html`<section class="card" data-is="sound-card">
      <h2>${word("sound_title")}</h2>
      <p data-is="sound-state">${muted === null ? word(ducked ? "sound_softer" : "sound_heard") : state(muted)}</p>
      <div class="row">${
        muted === null
          ? MINUTES.map((minutes) => button(word("sound_mute_for", { minutes }), () => actions.do("mute", { minutes })))
          : button(word("sound_release"), () => actions.do("release"))
      }<button type="button" data-is="sound-duck" aria-pressed=${ducked} @click=${once(() => actions.do(ducked ? "unduck" : "duck"))}>${word(ducked ? "sound_unduck" : "sound_duck")}</button></div>
      ${tests ? testRow() : nothing}
      ${actions.draw()}
    </section>`;
  };
}
