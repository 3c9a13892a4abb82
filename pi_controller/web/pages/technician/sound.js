// Mute, and the test of each loudspeaker; nothing where no sound is set up.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { Actions, once } from "../components/actions.js";
import { word } from "../words.js";

/** @import { Feed } from "../feed.js" */

const MINUTES = [5, 15];
const MS_PER_MIN = 60_000;

/**
 * @param {Feed} feed
 * @param {() => void} redraw
 */
export function soundCard(feed, redraw) {
  /** @type {Actions<"mute" | "release" | "test", { minutes?: number, loudspeaker?: "left" | "right" | "both" }>} */
  const actions = new Actions({ path: "/api/sound", redraw });
  const button = (/** @type {string} */ text, /** @type {() => Promise<unknown>} */ act) => html`<button type="button" @click=${once(act)}>${text}</button>`;

  /** @param {Api.MuteView} muted */
  function state(muted) {
    const until = muted.until_ms;
    const now = feed.coreNow();
    if (until === null || now === null) return word("sound_muted");
    return word("sound_muted_for", { minutes: Math.max(1, Math.ceil((until - now) / MS_PER_MIN)) });
  }

  return () => {
    const sound = feed.picture?.sound ?? null;
    if (sound === null) return nothing;
    const { muted } = sound;
    return html`<section class="card" data-is="sound-card">
      <h2>${word("sound_title")}</h2>
      <p data-is="sound-state">${muted === null ? word("sound_heard") : state(muted)}</p>
      <div class="row">${
        muted === null
          ? MINUTES.map((minutes) => button(word("sound_mute_for", { minutes }), () => actions.do("mute", { minutes })))
          : button(word("sound_release"), () => actions.do("release"))
      }</div>
      <div class="row">
        ${button(word("sound_test_left"), () => actions.do("test", { loudspeaker: "left" }))}
        ${button(word("sound_test_right"), () => actions.do("test", { loudspeaker: "right" }))}
        ${button(word("sound_test_both"), () => actions.do("test", { loudspeaker: "both" }))}
      </div>
      ${actions.draw()}
    </section>`;
  };
}
