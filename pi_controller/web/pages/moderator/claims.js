// The claims as they come, the newest first, without those taken back: whose, when, and what has become of each.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { claimant } from "../components/claimant.js";
import { symbol } from "../components/symbol.js";
import { momentText } from "../screen_texts.js";
import { word } from "../words.js";

const MOST = 6;

/** @param {Api.ClaimView} claim */
const stateText = ({ status, passed }) => word(passed && status === "open" ? "claim_passed" : `claim_${status}`);

/** @param {Api.Picture} picture */
export function claimsList(picture) {
  const shown = picture.claims.filter(({ status }) => status !== "withdrawn").slice(-MOST).reverse();
  if (shown.length === 0) return nothing;
  return html`<section class="side-card claims" data-is="claims"><h2>${word("claims_card")}</h2>
    <ul>${shown.map((claim) => html`<li data-open=${claim.status === "open" && !claim.passed}>${symbol("wreath")}
      <span>${claimant(picture, claim)}<small>${momentText(claim, "claim_moment", picture)} · ${stateText(claim)}</small></span></li>`)}</ul>
  </section>`;
}
