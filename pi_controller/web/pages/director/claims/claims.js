// Claims in press order, each with its verdict and its sheet; entering one by hand.

import { html, nothing } from "../../vendor/lit-html/lit-html.js";
import { repeat } from "../../vendor/lit-html/directives/repeat.js";
import { claimant } from "../../components/claimant.js";
import { part } from "../../dom.js";
import { inTurns } from "../../reading.js";
import { momentText } from "../../screen_texts.js";
import { word } from "../../words.js";
import { HallMap } from "../../tables/map.js";
import { judging, sideChoice } from "./judging.js";
import { rankingList } from "./ranking.js";
import { claimPlaces } from "./tables.js";

/**
 * @import { TablesHub } from "../../tables/hub.js"
 * @import { Desk } from "../desk.js"
 * @typedef {Api.ClaimBody["side"]} Side
 */

const NARROW = "(max-width: 999px)"; // as in director.css
const MODES = /** @type {const} */ ([["ask", "claims_ask"], ["pause", "claims_pause"]]);

/**
 * How it came, with how exactly its moment is known; the big button and a table's say so by the claim itself.
 * @param {Api.ClaimView} claim
 */
function sourceText({ source, press_error_ms: ms }) {
  if (source === "seat") return word("claim_from_seat", { ms: ms ?? 0 });
  return source === "button" ? "" : word(`claim_from_${source}`);
}

/**
 * @param {Api.ClaimView} claim
 * @param {string} where
 * @param {Api.Picture} picture
 */
function factsText(claim, where, picture) {
  const facts = [word(`claim_${claim.status}`)];
  if (claim.pressed_ms_before_end > 0) facts.unshift(momentText(claim, "claim_moment_exact", picture));
  if (where !== "") facts.unshift(where);
  const source = sourceText(claim);
  if (source !== "") facts.push(source);
  if (!claim.on_active_side) facts.push(word("not_active"));
  if (claim.passed && claim.status === "open") facts.push(word("claim_passed"));
  if (claim.rejected_before > 0) facts.push(word("rejected_before", { count: claim.rejected_before }));
  if (claim.count > 1) facts.push(word("claim_count", { count: claim.count }));
  if (claim.points !== null) facts.push(word("points", { count: claim.points }));
  return facts.join(" · ");
}

/**
 * How many claims hold the game up: the open ones that play has not gone on over.
 * @param {Api.ClaimView[]} claims
 */
const waiting = (claims) => claims.filter(({ passed, status }) => status === "open" && !passed).length;

/**
 * The claims with their places in press order; while sheets are collected the one to fill in comes first, and then the newest.
 * @param {Api.Picture} picture
 */
function inOrder({ claims, phase }) {
  const placed = claims.map((claim, index) => ({ claim, place: index + 1 }));
  if (phase !== "collecting") return placed;
  /** @param {boolean} open */
  const those = (open) => placed.filter(({ claim }) => (claim.status === "open") === open);
  return [...those(true), ...those(false).reverse()];
}

/**
 * What is to be known before anything else: that the clock runs on, or that each claim needs a sheet.
 * @param {Api.Picture} picture
 * @param {number} open
 */
function hint(picture, open) {
  if (picture.phase === "collecting") return word("collecting_hint");
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
  const map = new HallMap({ size: "small" });
  /** @type {Side | null} */
  let side = null; // of the claim that is entered by hand; null: the one that was or is active
  /** @type {string | null} */
  let begun = null; // the side that was active when its board was begun
  /** @type {string | null} */
  let press = null; // whose moment it takes; null: now

  /** @param {Api.Picture} picture */
  function lines(picture) {
    const open = waiting(picture.claims);
    return repeat(inOrder(picture), ({ claim }) => claim.id, ({ claim, place }) => html`<li class="claim ${claim.status}">
      <div class="claim-head"><span class="claim-order">${place}.</span>${claimant(picture, claim)}</div>
      <p class="hint">${factsText(claim, hub.placeOf(claim.board), picture)}</p>
      ${drawn(picture, claim, open)}
    </li>`);
  }

  /**
   * @param {Api.Picture} picture
   * @param {Api.ClaimView} claim
   * @param {number} open
   */
  function drawn(picture, claim, open) {
    if (claim.status === "open") return judge.draw(picture, claim, open);
    if (claim.status === "confirmed" && picture.phase === "collecting") return judge.drawRanked(picture, claim);
    return claim.status === "withdrawn" || picture.closed ? nothing : judge.drawJudged(claim);
  }

  /**
   * The rows in which there are open claims, with their boards marked by the claims' places.
   * @param {Api.Picture | null} picture
   */
  function hallMap(picture) {
    const places = claimPlaces(picture);
    const { known } = hub;
    const boards = known?.boards.filter(({ name }) => places.has(name)) ?? [];
    const rows = known?.roster.rows.filter((row) => boards.some((board) => board.row === row)) ?? [];
    return html`<section class="claims-map" data-is="claims-map" aria-label=${word("claims_map")} ?hidden=${rows.length === 0}>
      ${known === null || rows.length === 0 ? nothing : map.draw({ roster: { ...known.roster, rows }, boards: known.boards }, { claims: places })}</section>`;
  }

  /**
   * The moments that a claim entered by hand may take; `taken` is the press that is chosen.
   * @param {Api.PressView[]} presses
   * @param {Api.PressView | undefined} taken
   * @param {Api.Picture | null} picture
   */
  function moments(presses, taken, picture) {
    if (picture === null || presses.length === 0) return nothing;
    const given = [{ id: null, text: word("claim_now") }, ...presses.map((each) => ({ id: each.id, text: momentText(each, "claim_moment", picture) }))];
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
    const turns = inTurns(picture);
    async function enter() {
      const board = part("claim-board").value.trim();
      if ((board === "" && !turns) || acting === undefined) return part("claim-board").focus();
      const { status } = await desk.send("claim", { board: board || null, side: acting, ...(taken === undefined ? {} : { press: taken.id }) });
      if (status !== "accepted" || part("claim-board").value.trim() !== board) return;
      part("claim-board").value = "";
      [side, begun, press] = [null, null, null];
      const form = part("claim-board").closest("details");
      if (form !== null && matchMedia(NARROW).matches) form.open = false; // it lies over the other cards there
      desk.redraw();
    }
    const collecting = picture?.phase === "collecting";
    return html`<details ?open=${collecting}>
      <summary>${word(collecting ? "new_sheet" : "new_claim")}</summary>
      <div class="fields">
        <label ?hidden=${turns}><span>${word("board")}</span><input data-is="claim-board" maxlength="24" autocomplete="off" @input=${() => (begun ??= active)}></label>
        ${sideChoice(picture, acting, (id) => choose({ side: id }))}
        ${moments(presses, taken, picture)}
        ${desk.button("claim", word("claim_go"), enter, { is: "claim-go" })}
      </div>
      ${!turns && hub.roster !== null && hub.boards.length === 0 ? html`<p class="hint" data-is="any-board">${word("any_board")}</p>` : nothing}
      ${desk.against("claim")}
    </details>`;
  }

  function draw() {
    const { picture } = desk;
    const claims = picture?.claims ?? [];
    judge.take(claims);
    const open = waiting(claims);
    return html`<section class="card claims-card ${open > 0 ? "urgent" : ""}">
      <header class="claims-top">
        <h2>${word("claims_card")}</h2>
        <div class="claims-mode" role="group" aria-label=${word("claims_mode")}>${MODES.map(([mode, key]) =>
          desk.button("set_claims", word(key), () => desk.send("set_claims", { mode }), { look: "toggle", pressed: picture?.claims_mode === mode }))}</div>
        <p class="hint">${picture === null ? "" : word(`claims_mode_help_${picture.claims_mode}`)}</p>
        ${toneSwitch()}
      </header>
      <p class="hint" data-is="claims-hint">${picture === null ? "" : hint(picture, open)}</p>
      ${picture === null ? nothing : rankingList(picture)}
      ${picture === null ? nothing : judge.compare(picture)}
      ${picture?.phase === "collecting" ? byHand(picture) : nothing}
      <ol class="claims">${picture === null ? nothing : lines(picture)}</ol>
      ${hallMap(picture)}
      ${picture?.phase === "collecting" ? nothing : byHand(picture)}
    </section>`;
  }

  return { map, draw };
}
