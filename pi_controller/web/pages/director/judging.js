// What is done with one claim: the panel with its sheet, which opens by the own hand alone; who claims, the verdict, taking it back.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { Steady, closePanel, openPanel, panelNow } from "./page.js";
import { Drafts, pointsOf } from "../lib/claim_count.js";
import { closingText, keepSheet, keptSheet, rivals, sheetForm, sheetVerdict, sideChoice } from "../lib/claim_sheet.js";
import { claimant } from "../lib/components.js";
import { inTurns } from "../lib/reading.js";
import { seatOf } from "../lib/seats.js";
import { SharedSheets } from "../lib/shared.js";
import { word } from "../lib/words.js";

/**
 * @import { Desk } from "../lib/desk.js"
 */

/**
 * @typedef {Api.ClaimBody["side"]} Side
 * @typedef {{ board: string, side: Side }} Named
 * @typedef {ReturnType<typeof judging>} Judging
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
  const steady = new Steady(); // of the panel
  const drafts = new Drafts();
  const shared = new SharedSheets(({ game, claim, sheet }) => {
    if (game !== desk.picture?.game_id) return;
    drafts.sheets.set(claim, sheet);
    keepSheet(desk, claim, sheet);
  });
  /** @type {Map<string, Partial<Named>>} */
  const names = new Map(); // of claims that have no board or no side
  /** @type {Pick<Api.ClaimView, "id" | "status"> | null} */
  let opened = null; // the claim of the panel, as it was when that was opened
  /** @type {{ board: string, side: Side } | null} */
  let awaited = null; // the claim that was just entered here, whose panel opens when it comes

  /** The claim whose panel is open. */
  const claimNow = () => desk.picture?.claims.find(({ id }) => id === panelNow()) ?? null;

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
   * What a verdict says of who claims: only what an open claim does not have.
   * @param {Api.Picture} picture
   * @param {Api.ClaimView} claim
   */
  function naming(picture, claim) {
    const { board, side } = named(picture, claim);
    if (claim.status !== "open" || (board === "" && !inTurns(picture))) return {};
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
    if (claim.status !== "open" || ((claim.board !== null || turns) && claim.side !== null)) return nothing;
    const { id } = claim;
    return html`<p class="hint">${word(turns ? "turn_who_claims" : "who_claims")}</p><div class="fields">
      ${claim.board !== null || turns ? nothing : html`<label><span>${word("board")}</span><input id="board-of-${id}" maxlength="24" autocomplete="off"
        @input=${(/** @type {Event & { currentTarget: HTMLInputElement }} */ event) => name(id, { board: event.currentTarget.value })}></label>`}
      ${claim.side !== null ? nothing : sideChoice(picture, named(picture, claim).side, (side) => name(id, { side }))}
    </div>`;
  }

  /**
   * Confirms without a sheet, which says who wins. Without a board it asks for that.
   * @param {Api.Picture} picture
   * @param {Api.ClaimView} claim
   */
  function checkedAtTable(picture, claim) {
    const { board, side } = named(picture, claim);
    const { name } = seatOf(picture, String(side));
    const unnamed = board === "" && !inTurns(picture);
    const wins = inTurns(picture) ? word("turn_wins", { side: name }) : word("checked_wins", { board: unnamed ? "?" : board, side: name });
    const give = () => (steady.deaf ? null : unnamed ? document.getElementById(`board-of-${claim.id}`)?.focus() : desk.send("verdict", { claim: claim.id, confirmed: true, ...naming(picture, claim) }));
    return desk.button("verdict", wins, give, { is: "checked", look: "go" });
  }

  /**
   * Whether no other claim is open: only then it can be confirmed without a sheet.
   * @param {Api.Picture} picture
   * @param {Api.ClaimView} claim
   */
  function isAlone({ claims, phase }, claim) {
    const open = claims.filter(({ status, passed }) => status === "open" && !passed).length;
    return claim.status === "open" && open === (claim.passed ? 0 : 1) && phase !== "collecting";
  }

  /**
   * @param {Api.Picture} picture
   * @param {Api.ClaimView} claim
   */
  function others(picture, claim) {
    if (claim.status !== "open") return picture.phase === "collecting" ? desk.button("verdict", word("take_out"), () => (steady.deaf ? null : desk.send("verdict", { claim: claim.id, confirmed: false }))) : nothing;
    return html`${desk.button("verdict", closingText(picture, claim, word("reject"), null), () => (steady.deaf ? null : desk.send("verdict", { claim: claim.id, confirmed: false })), { is: "reject" })}
      ${desk.button("withdraw", closingText(picture, claim, word("withdraw"), null), () => (steady.deaf ? null : desk.send("withdraw", { claim: claim.id })), { is: "withdraw" })}`;
  }

  return {
    /**
     * The claims that there are now: the panel of one that was judged or has gone is closed.
     * @param {Api.ClaimView[]} claims
     */
    take(claims) {
      drafts.take(claims);
      const open = new Set(claims.filter(({ status }) => status === "open").map(({ id }) => id));
      for (const id of names.keys()) if (!open.has(id)) names.delete(id);
      const entered = claims.findLast(({ board, side, status }) => status === "open" && awaited !== null && board?.toLowerCase() === awaited.board.toLowerCase() && side === awaited.side);
      if (entered !== undefined) {
        awaited = null;
        openPanel(entered.id);
      }
      const now = claims.find(({ id }) => id === panelNow()) ?? null;
      if (now !== null && opened?.id === now.id && opened.status !== now.status) closePanel();
      steady.follow(panelNow() ?? "-");
      opened = now === null || panelNow() === null ? null : opened?.id === now.id ? opened : now;
    },
    /**
     * Opens the panel of this claim as soon as it is there.
     * @param {{ board: string, side: Side }} claim
     */
    await(claim) {
      awaited = claim;
    },
    /**
     * Who else fills in a claim's sheet, with the points so far; "" for nobody.
     * @param {string} id
     */
    filling(id) {
      const draft = shared.draft(desk.picture?.game_id ?? "", id);
      if (draft === null) return "";
      const who = draft.name === "" ? word(`role_${draft.role}`) : draft.name;
      return word("sheet_points", { who, count: pointsOf(draft.sheet) });
    },
    /** The verdict of the sheet that is open; null without one. It closes the panel when it has been given. */
    verdict() {
      const [claim, { picture }] = [claimNow(), desk];
      if (claim === null || picture === null) return null;
      const verdict = sheetVerdict(desk, claim, drafts, naming(picture, claim));
      return {
        ...verdict,
        /** @param {Api.Picture | null} seen */
        async give(seen) {
          const { status } = await verdict.give(seen);
          if (status === "accepted" && panelNow() === claim.id) closePanel();
        },
      };
    },
    /**
     * Rival claims side by side, as far as their sheets are filled in here.
     * @param {Api.Picture} picture
     */
    compare: (picture) => rivals(picture, (id) => drafts.sheets.get(id) ?? keptSheet(desk, id)),
    /**
     * The panel of one claim; nothing where none is open.
     * @param {Api.Picture} picture
     * @param {string} place of its board in the hall
     */
    panel(picture, claim = claimNow(), place = "") {
      if (claim === null) return nothing;
      const verdict = sheetVerdict(desk, claim, drafts, naming(picture, claim));
      return html`<section class="card panel claim-panel" data-is="claim-panel" data-claim=${claim.id} aria-label=${word("open_sheet")}>
        <header class="panel-top"><button type="button" data-is="close-panel" @click=${closePanel}>‹ ${word("claims_card")}</button><h2 class="claim-head">${claimant(picture, claim)}</h2></header>
        ${place === "" ? nothing : html`<p class="hint">${place}</p>`}
        ${nameFields(picture, claim)}
        ${isAlone(picture, claim) ? checkedAtTable(picture, claim) : nothing}
        ${sheetForm(desk, claim, { drafts, shared }, verdict)}
        <div class="row quiet">${others(picture, claim)}</div>
        ${desk.against("verdict")}
      </section>`;
    },
  };
}
