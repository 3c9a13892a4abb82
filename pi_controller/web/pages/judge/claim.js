// One claim at the table: who claims, its sheet, the verdict.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { claimant } from "../components/claimant.js";
import { Drafts } from "../director/claims/count.js";
import { closingText } from "../director/claims/rivals.js";
import { sheetForm } from "../director/claims/sheet.js";
import { momentText } from "../screen_texts.js";
import { SharedSheets, writerText } from "../sheets.js";
import { word } from "../words.js";

/**
 * @import { Desk } from "../director/desk.js"
 * @import { TablesHub } from "../tables/hub.js"
 */

/**
 * @param {Desk} desk
 * @param {TablesHub} hub
 * @param {() => void} leave back to the queue
 */
export function judgedClaim(desk, hub, leave) {
  const drafts = new Drafts();
  const shared = new SharedSheets((draft) => {
    if (draft !== null && draft.game === desk.picture?.game_id) drafts.put(draft.claim, draft.sheet);
    desk.redraw();
  });
  /** @type {string | null} */
  let doomed = null; // the claim that is about to be rejected without a sheet

  /** @param {string | null} id */
  function ready(id) {
    doomed = id;
    desk.redraw();
  }

  /**
   * @param {Api.Picture} picture
   * @param {Api.ClaimView} claim
   */
  const rejecting = (picture, claim) => claim.id === doomed
    ? html`${desk.button("verdict", closingText(picture, claim, word("reject"), null), () => desk.send("verdict", { claim: claim.id, confirmed: false }), { look: "danger" })}
        <button type="button" @click=${() => ready(null)}>${word("cancel")}</button>`
    : html`<button type="button" data-is="judge-reject" @click=${() => ready(claim.id)}>${word("judge_reject_sure")}</button>`;

  return {
    /** @param {Api.Picture} picture */
    take: (picture) => drafts.take(picture.claims),
    /** @param {string} claim */
    writer: (claim) => writerText(shared.author(desk.picture?.game_id ?? "", claim)),
    /**
     * @param {Api.Picture} picture
     * @param {Api.ClaimView} claim
     */
    draw(picture, claim) {
      const place = hub.placeOf(claim.board);
      const facts = [place, momentText(claim, "claim_moment_exact", picture), claim.on_active_side ? "" : word("not_active")].filter((fact) => fact !== "");
      return html`<section class="card judged">
        <div class="row"><button type="button" data-is="judge-back" @click=${leave}>‹ ${word("judge_back")}</button><h2 class="claim-head">${claimant(picture, claim)}</h2></div>
        <p class="hint">${facts.join(" · ")}</p>
        ${claim.board === null || claim.side === null ? html`<p class="hint">${word("judge_no_board")}</p>` : nothing}
        ${sheetForm(desk, claim, { drafts, shared }, {})}
        ${desk.against("verdict")}
        <div class="row rejecting">${rejecting(picture, claim)}</div>
      </section>`;
    },
  };
}
