// Open claims where the eye is: a line fixed at the top of the window, their number in the page's title, a tone with each new one.

import { html, nothing } from "../../vendor/lit-html/lit-html.js";
import { claimant } from "../../components/claimant.js";
import { word } from "../../words.js";
import { goTo } from "../mode.js";
import { ClaimTone } from "../tone.js";

/** @import { Desk } from "../desk.js" */

/** To the first open claim, with the focus on the first thing that can be done with it. */
function jump() {
  const claim = document.querySelector(".claims .claim.open");
  claim?.scrollIntoView({ block: "center" });
  [...(claim?.querySelectorAll("button") ?? [])].find(({ disabled }) => !disabled)?.focus({ preventScroll: true });
}

/** @param {Desk} desk */
export function claimBanner(desk) {
  const tone = new ClaimTone();
  const { title } = document;
  /** @type {Set<string> | null} */
  let known = null; // open claims of the picture before; null before the first picture

  /** @param {Api.ClaimView[]} open */
  function follow(open) {
    const before = known;
    known = new Set(open.map(({ id }) => id));
    if (before !== null && open.some(({ id }) => !before.has(id))) tone.sound();
    document.title = open.length > 0 ? `(${open.length}) ${title}` : title;
  }

  function toggle() {
    tone.toggle();
    desk.redraw();
  }

  function toClaim() {
    goTo("show");
    desk.redraw();
    jump();
  }

  const openNow = () => desk.picture?.claims.filter(({ passed, status }) => status === "open" && !passed) ?? [];

  return {
    /** Title and tone alone, where the claims themselves are always in the window. */
    follow() {
      if (desk.picture !== null && desk.picture.phase !== "collecting") follow(openNow());
      return nothing;
    },
    draw() {
      const { picture } = desk;
      if (picture === null || picture.phase === "collecting") return nothing;
      const open = openNow();
      follow(open);
      const [first] = open;
      if (first === undefined) return nothing;
      const more = open.length > 1 ? word("claim_queue_more", { count: open.length - 1 }) : nothing;
      return html`<div class="claim-banner" data-is="claim-banner" role="alert">
        <p><b>${word("claim_banner")}</b> ${claimant(picture, first)} <span>${more}</span></p>
        <button type="button" data-is="claim-jump" @click=${toClaim}>${word("claim_jump")}</button>
      </div>`;
    },
    /** Whether this page sounds the tone; each page has its own switch, kept in its browser. */
    toneSwitch: () => html`<button type="button" class="toggle" data-is="claim-tone" aria-pressed=${tone.on} @click=${toggle}>${word("claim_tone")}</button>`,
  };
}
