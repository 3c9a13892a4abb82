// Claims in press order, each with its verdict and its sheet; entering one by hand.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { repeat } from "../vendor/lit-html/directives/repeat.js";
import { claimant } from "../components/claimant.js";
import { part } from "../dom.js";
import { momentText } from "../texts.js";
import { word } from "../words.js";
import { judging, sideChoice } from "./judging.js";

/**
 * @import { TablesHub } from "../tables/hub.js"
 * @import { Desk } from "./desk.js"
 * @typedef {Api.ClaimBody["side"]} Side
 */

const MODES = /** @type {const} */ ([["ask", "claims_ask"], ["pause", "claims_pause"]]);

/**
 * @param {Api.ClaimView} claim
 * @param {string} where
 */
function factsText(claim, where) {
  const facts = [momentText(claim, "claim_moment_exact"), word(`claim_${claim.status}`)];
  if (where !== "") facts.unshift(where);
  if (!claim.on_active_side) facts.push(word("not_active"));
  if (claim.count > 1) facts.push(word("claim_count", { count: claim.count }));
  if (claim.points !== null) facts.push(word("points", { count: claim.points }));
  return facts.join(" · ");
}

/**
 * What is to be known before anything else: that the clock runs on, or that each claim needs a sheet.
 * @param {Api.Picture} picture
 * @param {number} open
 */
function hint(picture, open) {
  if (picture.claims.length === 0) return word("no_claims");
  const calls = open > 0 && !picture.paused ? [word("claim_calls", { count: open })] : [];
  return [...calls, ...(open > 1 ? [word("several_open")] : [])].join(" ");
}

/**
 * @param {Desk} desk
 * @param {TablesHub} hub
 * @param {() => unknown} toneSwitch the button for the tone of new claims
 */
export function claimsCard(desk, hub, toneSwitch) {
  const judge = judging(desk);
  /** @type {Side | null} */
  let side = null; // of the claim that is entered by hand; null: the one that was or is active
  /** @type {string | null} */
  let begun = null; // the side that was active when its board was begun
  /** @type {string | null} */
  let press = null; // whose moment it takes; null: now

  /** @param {Api.Picture} picture */
  function lines(picture) {
    const open = picture.claims.filter((claim) => claim.status === "open").length;
    return repeat(picture.claims, ({ id }) => id, (claim, index) => html`<li class="claim ${claim.status}">
      <div class="claim-head"><span class="claim-order">${index + 1}.</span>${claimant(picture, claim)}</div>
      <p class="hint">${factsText(claim, hub.placeOf(claim.board))}</p>
      ${claim.status === "open" ? judge.draw(picture, claim, open) : nothing}
    </li>`);
  }

  /**
   * The moments that a claim entered by hand may take; `taken` is the press that is chosen.
   * @param {Api.PressView[]} presses
   * @param {Api.PressView | undefined} taken
   */
  function moments(presses, taken) {
    if (presses.length === 0) return nothing;
    const given = [{ id: null, text: word("claim_now") }, ...presses.map((each) => ({ id: each.id, text: momentText(each, "claim_moment") }))];
    return html`<fieldset class="choice" data-is="claim-when"><legend>${word("claim_when")}</legend>${given.map(({ id, text }) =>
      html`<button type="button" class="toggle" aria-pressed=${id === (taken?.id ?? null)} @click=${() => choose({ press: id })}>${text}</button>`)}</fieldset>`;
  }

  /** @param {{ side?: Side, press?: string | null }} chosen */
  function choose(chosen) {
    if (chosen.side !== undefined) side = chosen.side;
    if (chosen.press !== undefined) press = chosen.press;
    desk.redraw();
  }

  /** @param {Api.Picture | null} picture */
  function byHand(picture) {
    const presses = picture?.presses ?? [];
    const taken = presses.find(({ id }) => id === press);
    const active = picture?.seats[picture.seat ?? picture.next_seat ?? 0]?.id ?? null;
    const acting = /** @type {Side} */ (side ?? taken?.side ?? begun ?? active);
    async function enter() {
      const board = part("claim-board").value.trim();
      if (board === "" || acting === undefined) return part("claim-board").focus();
      const { status } = await desk.send("claim", { board, side: acting, ...(taken === undefined ? {} : { press: taken.id }) });
      if (status !== "accepted" || part("claim-board").value.trim() !== board) return;
      part("claim-board").value = "";
      [side, begun, press] = [null, null, null];
      desk.redraw();
    }
    return html`<details>
      <summary>${word("new_claim")}</summary>
      <div class="fields">
        <label><span>${word("board")}</span><input data-is="claim-board" maxlength="24" autocomplete="off" @input=${() => (begun ??= active)}></label>
        ${sideChoice(picture, acting, (id) => choose({ side: id }))}
        ${moments(presses, taken)}
        ${desk.button("claim", word("claim_go"), enter, { is: "claim-go" })}
      </div>
      ${hub.roster !== null && hub.boards.length === 0 ? html`<p class="hint" data-is="any-board">${word("any_board")}</p>` : nothing}
      ${desk.against("claim")}
    </details>`;
  }

  return () => {
    const { picture } = desk;
    const claims = picture?.claims ?? [];
    judge.take(claims);
    const open = claims.filter((claim) => claim.status === "open").length;
    return html`<section class="card claims-card ${open > 0 ? "urgent" : ""}">
      <header class="claims-top">
        <h2>${word("claims_card")}</h2>
        <div class="claims-mode" role="group" aria-label=${word("claims_mode")}>${MODES.map(([mode, key]) =>
          desk.button("set_claims", word(key), () => desk.send("set_claims", { mode }), { look: "toggle", pressed: picture?.claims_mode === mode }))}</div>
        <p class="hint">${picture === null ? "" : word(`claims_mode_help_${picture.claims_mode}`)}</p>
        ${toneSwitch()}
      </header>
      <p class="hint" data-is="claims-hint">${picture === null ? "" : hint(picture, open)}</p>
      <ol class="claims">${picture === null ? nothing : lines(picture)}</ol>
      ${byHand(picture)}
    </section>`;
  };
}
