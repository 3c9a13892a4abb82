// Claims in press order: those that are open as large buttons, what became of the others below.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { repeat } from "../vendor/lit-html/directives/repeat.js";
import { claimant } from "../components/claimant.js";
import { momentText } from "../screen_texts.js";
import { word } from "../words.js";

/**
 * @import { TablesHub } from "../tables/hub.js"
 * @typedef {{ hub: TablesHub, writer: (claim: string) => string, choose: (id: string) => void }} Queue
 */

/**
 * @param {Api.Picture} picture
 * @param {Queue} queue
 */
export function queue(picture, { hub, writer, choose }) {
  const open = picture.claims.filter(({ status }) => status === "open");
  const settled = picture.claims.filter(({ status }) => status !== "open");

  /**
   * @param {Api.ClaimView} claim
   * @param {number} index
   */
  function line(claim, index) {
    const facts = [hub.placeOf(claim.board), momentText(claim, "claim_moment_exact", picture), writer(claim.id)].filter((fact) => fact !== "");
    return html`<li><button type="button" data-claim=${claim.id} @click=${() => choose(claim.id)}>
      <span class="claim-order">${index + 1}.</span>${claimant(picture, claim)}
      <span class="hint">${facts.join(" · ")}</span><span class="go-on" aria-hidden="true">›</span>
    </button></li>`;
  }

  /** @param {Api.ClaimView} claim */
  const done = (claim) => html`<li>${claimant(picture, claim)}<span class="hint">${word(`claim_${claim.status}`)}${claim.points === null ? "" : ` · ${word("points", { count: claim.points })}`}</span></li>`;

  return html`<section class="card ${open.length > 0 ? "urgent" : ""}">
    <h2>${word("claims_card")}</h2>
    ${open.length === 0 ? html`<p class="hint">${word("no_claims")}</p>` : nothing}
    <ol class="queue">${repeat(open, ({ id }) => id, line)}</ol>
    ${settled.length > 0 ? html`<ul class="settled">${settled.map(done)}</ul>` : nothing}
  </section>`;
}
