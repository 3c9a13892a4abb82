// The judge's page, for a phone at the table: the queue, one claim at a time with its sheet, and opening a claim.

import { repeat } from "../vendor/lit-html/directives/repeat.js";
import { html, nothing, render } from "../vendor/lit-html/lit-html.js";
import { Drafts } from "../lib/claim_count.js";
import { closingText, sheetForm, sheetVerdict, sideChoice } from "../lib/claim_sheet.js";
import { claimant, languageMenu, reasons, themeButton, transportWarning } from "../lib/components.js";
import { Desk } from "../lib/desk.js";
import { drawBy, part, redraw } from "../lib/dom.js";
import { jsonOf } from "../lib/feed.js";
import { TablesHub } from "../lib/hall_map.js";
import { inTurns } from "../lib/reading.js";
import { SharedSheets, writerText } from "../lib/shared.js";
import { momentText } from "../lib/texts.js";
import { wayTo, word } from "../lib/words.js";

// One claim at the table: who claims, its sheet, the verdict.

/**
 * @param {Desk} desk
 * @param {TablesHub} hub
 * @param {() => void} leave back to the queue
 */
function judgedClaim(desk, hub, leave) {
  const drafts = new Drafts();
  const shared = new SharedSheets((draft) => {
    if (draft.game === desk.picture?.game_id) drafts.sheets.set(draft.claim, draft.sheet);
  });
  /** @type {string | null} */
  let doomed = null; // the claim that is about to be rejected without a sheet

  /**
   * @param {Api.Picture} picture
   * @param {Api.ClaimView} claim
   */
  const rejecting = (picture, claim) => claim.id === doomed
    ? html`${desk.button("verdict", closingText(picture, claim, word("reject"), null), () => desk.send("verdict", { claim: claim.id, confirmed: false }), { look: "danger" })}
        <button type="button" @click=${() => (doomed = null)}>${word("cancel")}</button>`
    : html`<button type="button" data-is="judge-reject" @click=${() => (doomed = claim.id)}>${word("judge_reject_sure")}</button>`;

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
      const verdict = sheetVerdict(desk, claim, drafts, {});
      return html`<section class="card judged">
        <div class="row"><button type="button" data-is="judge-back" @click=${leave}>‹ ${word("judge_back")}</button><h2 class="claim-head">${claimant(picture, claim)}</h2></div>
        <p class="hint">${facts.join(" · ")}</p>
        ${claim.board === null || claim.side === null ? html`<p class="hint">${word("judge_no_board")}</p>` : nothing}
        ${sheetForm(desk, claim, { drafts, shared }, verdict, desk.button(verdict.command, verdict.text, () => verdict.give(), { look: verdict.enough ? "go" : "" }))}
        ${desk.against("verdict")}
        <div class="row rejecting">${rejecting(picture, claim)}</div>
      </section>`;
    },
  };
}

// Opening a claim at the table: its board, by the first signs of its name, and its side.

const MOST_OFFERED = 8; // two lines on a phone

/**
 * As the game compares names of boards: without regard to case, spaces and leading zeros.
 * @param {string} name
 */
const compared = (name) => name.toLowerCase().replaceAll(/\s/g, "").replaceAll(/(^|\D)0+(?=\d)/g, "$1");

/**
 * `onOpened(board)` when the claim is sent, and with "" when the game has not taken it.
 * @param {Desk} desk
 * @param {TablesHub} hub
 * @param {(board: string) => void} onOpened
 */
function claimForm(desk, hub, onOpened) {
  /** @type {Api.ClaimBody["side"] | null} */
  let side = null; // null: the one that is or was active
  let typed = "";

  const meant = () => hub.boards.find(({ name }) => compared(name) === compared(typed))?.name ?? typed.trim();

  /** @param {Api.ClaimBody["side"]} acting */
  async function open(acting) {
    const board = meant();
    if (board === "" && !inTurns(desk.picture)) return part("claim-board").focus();
    onOpened(board);
    const { status } = await desk.send("claim", { board: board || null, side: acting });
    if (status !== "accepted") return onOpened("");
    side = null;
    typed = "";
  }

  function offered() {
    const wanted = compared(typed);
    const found = wanted === "" ? [] : hub.boards.filter(({ name }) => compared(name).startsWith(wanted));
    return html`<div class="offered" role="group" aria-label=${word("board")}>${found.slice(0, MOST_OFFERED).map(({ name }) => html`
      <button type="button" data-board=${name} aria-pressed=${String(name === meant())} @click=${() => (typed = name)}>${name}</button>`)}</div>
      <p class="hint" data-is="claim-place" aria-live="polite">${hub.placeOf(meant())}</p>`;
  }

  return () => {
    const { picture } = desk;
    const turns = inTurns(picture);
    const active = picture?.seats[picture.seat ?? picture.next_seat ?? 0]?.id ?? null;
    const acting = /** @type {Api.ClaimBody["side"]} */ (side ?? active);
    return html`<section class="card open-claim">
      <h2>${word("new_claim")}</h2>
      <div class="fields" ?hidden=${turns}>
        <label class="wide"><span>${word("board")}</span><input data-is="claim-board" .value=${typed} maxlength="24" autocomplete="off" autocapitalize="characters" enterkeyhint="done"
          @input=${() => (typed = part("claim-board").value)}></label>
      </div>
      ${turns ? nothing : hub.roster !== null && hub.boards.length === 0 ? html`<p class="hint" data-is="any-board">${word("any_board")}</p>` : offered()}
      <div class="fields">
        ${sideChoice(picture, acting, (id) => (side = id))}
        ${desk.button("claim", word("claim_go"), () => open(acting), { is: "claim-go" })}
      </div>
      ${picture === null ? nothing : desk.against("claim")}
    </section>`;
  };
}

// Claims in press order: those that are open as large buttons, what became of the others below.

/** @typedef {{ hub: TablesHub, writer: (claim: string) => string, choose: (id: string) => void }} Queue */

/**
 * @param {Api.Picture} picture
 * @param {Queue} queue
 */
function queue(picture, { hub, writer, choose }) {
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

// A judge judges, whoever directs.
const desk = new Desk({ watching: false, name: "" }, { onNews: chooseAwaited });
const hub = new TablesHub();
const judged = judgedClaim(desk, hub, () => choose(null));
const form = claimForm(desk, hub, (board) => (awaited = board));
/** @type {string | null} */
let chosen = null; // the claim whose sheet is open
/** @type {string | null} */
let awaited = null; // the board whose claim was just opened here
/** @type {string | null} */
let putAway = null; // the key of the command whose answer was read
let who = "";

/** @param {string | null} id */
function choose(id) {
  chosen = id;
  redraw();
  scrollTo({ top: 0 });
}

/** What became of the newest command. */
function answer() {
  const [newest] = desk.entries;
  if (newest === undefined || newest.status === "pending" || newest.key === putAway) return nothing;
  const told = newest.reasons.length > 0 ? newest.reasons : [`${word(`command_${newest.name}`)}: ${word(newest.status)}`];
  return html`<div class="answer" data-is="answer" data-status=${newest.status} role="alert">
    ${reasons(told)}<button type="button" class="plain" aria-label=${word("close")} @click=${() => (putAway = newest.key)}>×</button>
  </div>`;
}

function body() {
  const { picture } = desk;
  if (picture === null) return nothing;
  const claim = picture.claims.find(({ id, status }) => id === chosen && status === "open");
  judged.take(picture);
  if (claim !== undefined) return judged.draw(picture, claim);
  return html`${queue(picture, { hub, writer: judged.writer, choose })}${form()}`;
}

function draw() {
  const lost = desk.state === "fresh" ? "" : word("why_lost");
  render(html`<header class="top">
      <div class="bar">
        ${transportWarning()}
        <h1>${who === "" ? word("judge_title") : word("link_of", { name: who, role: word("role_judge") })}</h1>
        <nav class="ways"><a href=${wayTo("/")}>${word("to_hall")}</a>${languageMenu()}${themeButton()}</nav>
      </div>
      <div data-is="link"></div>
      <div data-is="live"></div>
      <p class="lost" role="status" ?hidden=${lost === ""}>${lost}</p>
    </header>
    <main>${answer()}${body()}</main>`, document.body);
}

/** @param {Api.Picture | null} picture */
function chooseAwaited(picture) {
  const opened = picture?.claims.findLast(({ board, status }) => status === "open" && board !== null && board === awaited);
  if (opened !== undefined) [chosen, awaited] = [opened.id, null];
}

drawBy(draw);
desk.frame();
const session = await jsonOf("/api/session");
if (session?.role === "judge") who = session.name;
redraw();
