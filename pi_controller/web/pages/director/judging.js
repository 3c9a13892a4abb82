// What is done with an open claim: who claims, the verdict in two steps or by the sheet, taking it back.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { Drafts } from "../lib/claim_count.js";
import { closingText, keepSheet, keptSheet, rivals, sheetForm, sideChoice } from "../lib/claim_sheet.js";
import { toggleIn } from "../lib/dom.js";
import { inTurns } from "../lib/reading.js";
import { seatOf } from "../lib/seats.js";
import { SharedSheets } from "../lib/shared.js";
import { word } from "../lib/words.js";

/**
 * @import { Desk } from "../lib/desk.js"
 * @import { Draft } from "../lib/shared.js"
 */

/**
 * @typedef {Api.ClaimBody["side"]} Side
 * @typedef {{ board: string, side: Side }} Named
 */

/**
 * The side that was active in this round, as far as the newest rolls tell.
 * @param {Api.Picture} picture
 * @param {number} round
 */
function activeIn({ history, seats }, round) {
  const side = history.find((roll) => roll.kind !== "robber" && roll.round === round)?.side ?? seats[0]?.id;
  return /** @type {Side} */ (side);
}

/** @param {Desk} desk */
export function judging(desk) {
  const drafts = new Drafts();
  const shared = new SharedSheets((draft) => {
    if (draft.game === desk.picture?.game_id) filledElsewhere(draft);
  });
  /** @type {Set<string>} */
  const followed = new Set(); // claims whose sheet was opened here because somebody else fills it in
  /** @type {Set<string>} */
  const sheets = new Set(); // claims whose sheet is open
  /** @type {Set<string>} */
  const met = new Set(); // claims whose kept sheet was looked for
  /** @type {Set<string>} */
  const checked = new Set(); // claims that are about to be confirmed without a sheet
  /** @type {Map<string, Partial<Named>>} */
  const names = new Map(); // of claims that have no board or no side

  /** @param {Draft} draft */
  function filledElsewhere({ claim, sheet }) {
    drafts.sheets.set(claim, sheet);
    keepSheet(desk, claim, sheet);
    if (!followed.has(claim)) sheets.add(claim);
    followed.add(claim);
  }

  /**
   * Board and side of a claim: its own, otherwise those that are typed here.
   * @param {Api.Picture} picture
   * @param {Api.ClaimView} claim
   * @returns {Named}
   */
  function named(picture, { id, board, side, round }) {
    const typed = names.get(id);
    return { board: board ?? typed?.board?.trim() ?? "", side: /** @type {Side} */ (side) ?? typed?.side ?? activeIn(picture, round) };
  }

  /**
   * What a verdict says of who claims: only what the claim does not have.
   * @param {Api.Picture} picture
   * @param {Api.ClaimView} claim
   */
  function naming(picture, claim) {
    const { board, side } = named(picture, claim);
    if (board === "" && !inTurns(picture)) return {};
    return { ...(claim.board === null && board !== "" ? { board } : {}), ...(claim.side === null ? { side } : {}) };
  }

  /**
   * @param {string} id
   * @param {Partial<Named>} change
   */
  function name(id, change) {
    names.set(id, { ...names.get(id), ...change });
  }

  /**
   * @param {Api.Picture} picture
   * @param {Api.ClaimView} claim
   */
  function nameFields(picture, claim) {
    const turns = inTurns(picture);
    if ((claim.board !== null || turns) && claim.side !== null) return nothing;
    const { id } = claim;
    return html`<p class="hint">${word(turns ? "turn_who_claims" : "who_claims")}</p><div class="fields">
      ${claim.board !== null || turns ? nothing : html`<label><span>${word("board")}</span><input id="board-of-${id}" maxlength="24" autocomplete="off"
        @input=${(/** @type {Event & { currentTarget: HTMLInputElement }} */ event) => name(id, { board: event.currentTarget.value })}></label>`}
      ${claim.side !== null ? nothing : sideChoice(picture, named(picture, claim).side, (side) => name(id, { side }))}
    </div>`;
  }

  /**
   * The first of the two steps that confirm without a sheet.
   * @param {Api.Picture} picture
   * @param {Api.ClaimView} claim
   */
  function confirm(picture, claim) {
    if (named(picture, claim).board === "" && !inTurns(picture)) return document.getElementById(`board-of-${claim.id}`)?.focus();
    checked.add(claim.id);
  }

  /**
   * The second one, which says who wins.
   * @param {Api.Picture} picture
   * @param {Api.ClaimView} claim
   */
  function secondStep(picture, claim) {
    const { board, side } = named(picture, claim);
    const { name } = seatOf(picture, String(side));
    const wins = inTurns(picture) ? word("turn_wins", { side: name }) : word("checked_wins", { board, side: name });
    return html`<div class="checked"><p class="hint">${word("check_first")}</p><div class="row">
      ${desk.button("verdict", wins, () => desk.send("verdict", { claim: claim.id, confirmed: true, ...naming(picture, claim) }), { is: "checked", look: "go" })}
      <button type="button" @click=${() => toggleIn(checked, claim.id)}>${word("cancel")}</button>
    </div></div>`;
  }

  return {
    /** @param {Api.ClaimView[]} claims those that there are now */
    take(claims) {
      drafts.take(claims);
      const collecting = desk.picture?.phase === "collecting";
      for (const { id, status } of claims) {
        const begins = status === "open" && (collecting || keptSheet(desk, id) !== null);
        if (begins && !met.has(id)) sheets.add(id);
        if (status === "open") met.add(id);
        else if (met.delete(id)) sheets.delete(id);
      }
      const open = new Set(claims.filter(({ status }) => status === "open").map(({ id }) => id));
      for (const id of checked) if (!open.has(id)) checked.delete(id);
      for (const id of names.keys()) if (!open.has(id)) names.delete(id);
    },
    /**
     * Rival claims side by side, as far as their sheets are filled in here.
     * @param {Api.Picture} picture
     */
    compare: (picture) => rivals(picture, (id) => (sheets.has(id) ? drafts.sheetOf(id, keptSheet(desk, id), inTurns(picture) ? 0 : 1) : (drafts.sheets.get(id) ?? null))),
    /**
     * A verdict that was wrong: the sheet that takes its place.
     * @param {Api.ClaimView} claim a rejected or confirmed one
     */
    drawJudged(claim) {
      const { id } = claim;
      return html`<div class="row quiet">${desk.button("undo", word(sheets.has(id) ? "close_sheet" : "correct_verdict"), () => toggleIn(sheets, id))}</div>
        ${sheets.has(id) ? sheetForm(desk, claim, { drafts, shared }, {}) : nothing}`;
    },
    /**
     * A checked sheet of the ranking: corrected, or taken out.
     * @param {Api.Picture} picture
     * @param {Api.ClaimView} claim
     */
    drawRanked(picture, claim) {
      const { id } = claim;
      return html`<div class="row">
        ${desk.button("verdict", word(sheets.has(id) ? "close_sheet" : "correct_sheet"), () => toggleIn(sheets, id))}
        ${desk.button("verdict", word("take_out"), () => desk.send("verdict", { claim: id, confirmed: false }))}
      </div>${sheets.has(id) ? sheetForm(desk, claim, { drafts, shared }, naming(picture, claim)) : nothing}`;
    },
    /**
     * @param {Api.Picture} picture
     * @param {Api.ClaimView} claim an open one
     * @param {number} open how many are
     */
    draw(picture, claim, open) {
      const { id } = claim;
      const alone = open === (claim.passed ? 0 : 1) && picture.phase !== "collecting";
      return html`${nameFields(picture, claim)}<div class="row">
        ${alone ? desk.button("verdict", word("confirm"), () => confirm(picture, claim)) : nothing}
        ${desk.button("verdict", closingText(picture, claim, word("reject"), null), () => desk.send("verdict", { claim: id, confirmed: false }))}
        ${desk.button("verdict", word(sheets.has(id) ? "close_sheet" : "open_sheet"), () => toggleIn(sheets, id))}
        ${desk.button("withdraw", closingText(picture, claim, word("withdraw"), null), () => desk.send("withdraw", { claim: id }))}
      </div>${alone && checked.has(id) ? secondStep(picture, claim) : nothing}
      ${sheets.has(id) ? sheetForm(desk, claim, { drafts, shared }, naming(picture, claim)) : nothing}`;
    },
  };
}
