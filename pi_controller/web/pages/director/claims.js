// Claims in press order, each with its verdict and its sheet; entering one by hand.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { repeat } from "../vendor/lit-html/directives/repeat.js";
import { claimant } from "../components/claimant.js";
import { symbol } from "../components/symbol.js";
import { part } from "../dom.js";
import { allSeats } from "../seats.js";
import { momentText } from "../texts.js";
import { word } from "../words.js";
import { Drafts } from "./count.js";
import { sheetForm } from "./sheet.js";

/** @import { Desk } from "./desk.js" */

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
 * `whereOf(board)` tells the place of a board in words, or "" while it is not known.
 * @param {Desk} desk
 * @param {(board: string | null) => string} whereOf
 */
export function claimsCard(desk, whereOf) {
  const drafts = new Drafts();
  /** @type {Set<string>} */
  const sheets = new Set(); // claims whose sheet is open
  /** @type {string | null} */
  let side = null; // of the claim that is entered by hand; null: the first one

  /** @param {string} id */
  function toggleSheet(id) {
    if (!sheets.delete(id)) sheets.add(id);
    desk.redraw();
  }

  /** @param {string} id */
  function chooseSide(id) {
    side = id;
    desk.redraw();
  }

  /**
   * @param {Api.ClaimView} claim
   * @param {number} open
   */
  const actions = (claim, open) => html`<div class="row">
    ${open > 1 ? nothing : desk.button("verdict", word("confirm"), () => desk.send("verdict", { claim: claim.id, confirmed: true }))}
    ${desk.button("verdict", word("reject"), () => desk.send("verdict", { claim: claim.id, confirmed: false }))}
    ${desk.button("verdict", word(sheets.has(claim.id) ? "close_sheet" : "open_sheet"), () => toggleSheet(claim.id))}
    ${desk.button("withdraw", word("withdraw"), () => desk.send("withdraw", { claim: claim.id }))}
  </div>${sheets.has(claim.id) ? sheetForm(desk, claim, drafts) : nothing}`;

  /** @param {Api.Picture} picture */
  function lines(picture) {
    const open = picture.claims.filter((claim) => claim.status === "open").length;
    return repeat(picture.claims, ({ id }) => id, (claim, index) => html`<li class="claim ${claim.status}">
      <div class="claim-head"><span class="claim-order">${index + 1}.</span>${claimant(picture, claim)}</div>
      <p class="hint">${factsText(claim, whereOf(claim.board))}</p>
      ${claim.status === "open" ? actions(claim, open) : nothing}
    </li>`);
  }

  /** @param {Api.Picture | null} picture */
  function byHand(picture) {
    const seats = allSeats(picture);
    const chosen = seats.find(({ id }) => id === side) ?? seats[0];
    function enter() {
      const board = part("claim-board").value.trim();
      if (board === "" || chosen === undefined) return part("claim-board").focus();
      desk.send("claim", { board, side: /** @type {Api.ClaimBody["side"]} */ (chosen.id) });
    }
    return html`<details>
      <summary>${word("new_claim")}</summary>
      <div class="fields">
        <label><span>${word("board")}</span><input data-is="claim-board" maxlength="24" autocomplete="off"></label>
        <fieldset class="choice"><legend>${word("side_label")}</legend>${seats.map(({ id, name, sign }) =>
          html`<button type="button" class="toggle" aria-pressed=${id === chosen?.id} @click=${() => chooseSide(id)}>${symbol(sign)}<span>${name}</span></button>`)}</fieldset>
        ${desk.button("claim", word("claim_go"), enter, { is: "claim-go" })}
      </div>
      ${desk.against("claim")}
    </details>`;
  }

  return () => {
    const { picture } = desk;
    const claims = picture?.claims ?? [];
    drafts.take(claims);
    const open = claims.filter((claim) => claim.status === "open").length;
    return html`<section class="card claims-card ${open > 0 ? "urgent" : ""}">
      <header class="claims-top">
        <h2>${word("claims_card")}</h2>
        <div class="claims-mode" role="group" aria-label=${word("claims_mode")}>${MODES.map(([mode, key]) =>
          desk.button("set_claims", word(key), () => desk.send("set_claims", { mode }), { look: "toggle", pressed: picture?.claims_mode === mode }))}</div>
        <p class="hint">${picture === null ? "" : word(`claims_mode_help_${picture.claims_mode}`)}</p>
      </header>
      <p class="hint" data-is="claims-hint">${picture === null ? "" : hint(picture, open)}</p>
      <ol class="claims">${picture === null ? nothing : lines(picture)}</ol>
      ${byHand(picture)}
    </section>`;
  };
}
