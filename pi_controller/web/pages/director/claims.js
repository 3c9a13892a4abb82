// Claims in press order, and what tells of them: banner, tone, ranking, the map of the tables.

import { repeat } from "../vendor/lit-html/directives/repeat.js";
import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { NEW_CLAIM, Steady, closePanel, openPanel, panelNow } from "./page.js";
import { closingText, sideChoice } from "../lib/claim_sheet.js";
import { claimant, symbol } from "../lib/components.js";
import { part, redraw } from "../lib/dom.js";
import { HallMap } from "../lib/hall_map.js";
import { inTurns, isWaiting } from "../lib/reading.js";
import { namesOf, standingsOf } from "../lib/tables.js";
import { momentText } from "../lib/texts.js";
import { wayTo, word } from "../lib/words.js";

/**
 * @import { Judging } from "./judging.js"
 * @import { Desk } from "../lib/desk.js"
 * @import { TablesHub } from "../lib/hall_map.js"
 * @import { Standing } from "../lib/tables.js"
 */

// The tone of a new claim, made by the page itself. Browsers let a page sound only after its first click or key.

const KEY = "claim-tone";
const NOTES = /** @type {const} */ ([[660, 0], [880, 0.18]]); // Hz, seconds after the beginning
const LONG_S = 0.3;
const LOUD = 0.25; // of the full scale

class ClaimTone {
  /** @type {AudioContext | null} */
  #context = null;

  constructor() {
    for (const gesture of ["pointerdown", "keydown"]) document.addEventListener(gesture, () => this.#wake());
  }

  get on() {
    return localStorage.getItem(KEY) !== "off";
  }

  /** The choice is kept in this browser. */
  toggle() {
    localStorage.setItem(KEY, this.on ? "off" : "on");
  }

  /** Nothing where it is switched off or not allowed yet: late it would tell of nothing. */
  sound() {
    const context = this.#context;
    if (!this.on || context?.state !== "running") return;
    for (const [hertz, after] of NOTES) {
      const [note, gain, from] = [context.createOscillator(), context.createGain(), context.currentTime + after];
      note.frequency.value = hertz;
      gain.gain.setValueAtTime(LOUD, from);
      gain.gain.exponentialRampToValueAtTime(0.001, from + LONG_S);
      note.connect(gain).connect(context.destination);
      note.start(from);
      note.stop(from + LONG_S);
    }
  }

  #wake() {
    this.#context ??= new AudioContext();
    if (this.#context.state === "suspended") this.#context.resume();
  }
}

// Open claims where the eye is: a line fixed at the top of the window, their number in the page's title, a tone with each new one.

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

  /** To the first open claim, with the focus on the first thing that can be done with it. */
  function toClaim() {
    location.hash = "show";
    redraw();
    /** @type {HTMLElement | null} */ (document.querySelector(".claims .claim.open button:not(:disabled)"))?.focus({ preventScroll: true });
  }

  return {
    /** @param {boolean} shown otherwise title and tone alone, where the claims themselves are always in the window */
    draw(shown) {
      const { picture } = desk;
      if (picture === null || picture.phase === "collecting") return nothing;
      const open = picture.claims.filter(isWaiting);
      follow(open);
      const [first] = open;
      if (first === undefined || !shown) return nothing;
      const more = open.length > 1 ? word("claim_queue_more", { count: open.length - 1 }) : nothing;
      return html`<div class="claim-banner" data-is="claim-banner" role="alert">
        <p><b>${word("claim_banner")}</b> ${claimant(picture, first)} <span>${more}</span></p>
        <button type="button" data-is="claim-jump" @click=${toClaim}>${word("claim_jump")}</button>
      </div>`;
    },
    /** Whether this page sounds the tone; each page has its own switch, kept in its browser. */
    toneSwitch: () => html`<button type="button" class="toggle" data-is="claim-tone" aria-pressed=${tone.on} @click=${() => tone.toggle()}>${word("claim_tone")}</button>`,
  };
}

// The tables at a glance: the hall map, what is lost, and who claims where.

/**
 * @param {TablesHub} hub
 * @returns {[Standing, string][]}
 */
function summaryLines({ known, open, boards }) {
  if (!open) return [["lost", word("map_lost")]];
  if (known === null) return [];
  if (boards.length === 0) return [["unfitted", word("map_empty")]];
  const troubles = standingsOf(boards).filter(([standing]) => standing !== "good");
  if (troubles.length === 0) return [["good", word("map_all_well", { count: boards.length })]];
  return troubles.map(([standing, ill]) => [standing, word("map_trouble", { standing: word(`node_${standing}`), boards: namesOf(ill) })]);
}

/**
 * Places of the open claims in the order of the presses, by board.
 * @param {Api.Picture | null} picture
 * @returns {Map<string, number>}
 */
function claimPlaces(picture) {
  const places = new Map();
  for (const [index, { board, status }] of picture?.claims.entries() ?? []) {
    if (status === "open" && board !== null) places.set(board, index + 1);
  }
  return places;
}

/**
 * @param {Desk} desk
 * @param {TablesHub} hub
 */
export function tablesCard(desk, hub) {
  const map = new HallMap({ size: "small" });
  const summary = () => html`<ul class="map-summary">${summaryLines(hub).map(([standing, text]) => html`
    <li data-node=${standing}>${symbol(`node-${standing}`)}<span>${text}</span></li>`)}</ul>`;
  return {
    map,
    lines: () => summaryLines(hub),
    draw() {
      const { known, open } = hub;
      return html`<section class="card tables-card" data-is="tables-card" data-open=${open}>
        <header class="card-top"><h2>${word("hall_map")}</h2><a href=${wayTo("/technician")}>${word("to_technician")}</a></header>
        <div data-is="map-summary">${summary()}</div>
        <div data-is="map" ?hidden=${known === null || known.boards.length === 0}>${known === null ? nothing : map.draw(known, { claims: claimPlaces(desk.picture) })}</div>
      </section>`;
    },
  };
}

// The ranking of checked sheets, with the step that decides between one and the next.

/** @param {Api.Picture} picture */
function rankingList(picture) {
  const { ranking } = picture;
  if (picture.phase !== "collecting" && (ranking.length < 2 || picture.phase !== "ended")) return nothing;
  return html`<section class="ranking-box" data-is="ranking" aria-live="polite">
    <h2>${word("ranking")}</h2>
    ${ranking.length === 0 ? html`<p class="hint">${word("ranking_empty")}</p>` : html`<ol class="ranking">${ranking.map((ranked) => line(picture, ranked))}</ol>`}
  </section>`;
}

/**
 * @param {Api.Picture} picture
 * @param {Api.RankedView} ranked
 */
function line(picture, ranked) {
  const points = ranked.points === null ? "" : word("points", { count: ranked.points });
  return html`<li class=${ranked.place === 1 ? "first" : ""}><span class="claim-order">${ranked.place}.</span>
    ${claimant(picture, ranked)}
    <b>${points}</b><span class="hint">${picture.ranking.length > 1 ? word(`rank_${ranked.decided_by}`) : ""}</span></li>`;
}

// The queue: open claims in press order, each a line with what can be done with it; decided ones are folded.

/** @typedef {Api.ClaimBody["side"]} Side */

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
  return [
    claim.on_active_side ? "" : word("not_active"),
    claim.status === "open" ? (claim.passed ? word("claim_passed") : "") : word(`claim_${claim.status}`),
    claim.points === null ? "" : word("points", { count: claim.points }),
    claim.pressed_ms_before_end > 0 ? momentText(claim, "claim_moment_exact", picture) : "",
    where,
    sourceText(claim),
    claim.rejected_before > 0 ? word("rejected_before", { count: claim.rejected_before }) : "",
    claim.count > 1 ? word("claim_count", { count: claim.count }) : "",
  ].filter((fact) => fact !== "").join(" · ");
}

/**
 * What is to be known before anything else: that the clock runs on, or that each claim needs a sheet.
 * @param {Api.Picture} picture
 * @param {number} open
 */
function hint(picture, open) {
  if (picture.phase === "collecting") return word("collecting_hint");
  if (picture.claims.length === 0) return inTurns(picture) || picture.paused ? word("no_claims") : word(`claims_mode_help_${picture.claims_mode}`);
  const calls = open > 0 && !picture.paused ? [word("claim_calls", { count: open })] : [];
  return [...calls, ...(open > 1 ? [word("several_open")] : [])].join(" ");
}

/**
 * @param {Desk} desk
 * @param {TablesHub} hub
 * @param {Judging} judge
 */
export function claimsQueue(desk, hub, judge) {
  const map = new HallMap({ size: "small" });
  const steady = new Steady(); // a line moves up when the one before it has gone

  /**
   * @param {Api.Picture} picture
   * @param {Api.ClaimView} claim
   * @param {number} place
   */
  function openLine(picture, claim, place) {
    const { id } = claim;
    return html`<li class="claim open" data-claim=${id}>
      <span class="claim-order">${place}.</span>${claimant(picture, claim)}
      <span class="hint"><b>${judge.filling(id)}</b> <span>${factsText(claim, hub.placeOf(claim.board), picture)}</span></span>
      <span class="claim-acts"><button type="button" class="do" data-is="judge" @click=${() => openPanel(id)}>${word("judge_claim")}</button>
      ${picture.phase === "collecting" ? nothing : desk.button("verdict", closingText(picture, claim, word("reject"), null), () => (steady.deaf ? null : desk.send("verdict", { claim: id, confirmed: false })), { look: "reject" })}</span>
    </li>`;
  }

  /**
   * @param {Api.Picture} picture
   * @param {Api.ClaimView} claim
   * @param {number} place
   */
  function decidedLine(picture, claim, place) {
    const { id, status } = claim;
    const corrects = status !== "withdrawn" && !picture.closed;
    return html`<li class="claim ${status}" data-claim=${id}>
      <span class="claim-order">${place}.</span>${claimant(picture, claim)}
      <span class="hint">${factsText(claim, hub.placeOf(claim.board), picture)}</span>
      ${corrects ? html`<span class="claim-acts">${desk.button(picture.phase === "collecting" ? "verdict" : "undo", word(picture.phase === "collecting" ? "correct_sheet" : "correct_verdict"), () => openPanel(id), { is: "correct" })}</span>` : nothing}
    </li>`;
  }

  return {
    map,
    /**
     * The rows in which there are open claims, with their boards marked by the claims' places.
     * @param {Api.Picture | null} picture
     */
    drawMap(picture) {
      const places = claimPlaces(panelNow() === null ? picture : null);
      const { known } = hub;
      const boards = known?.boards.filter(({ name }) => places.has(name)) ?? [];
      const rows = known?.roster.rows.filter((row) => boards.some((board) => board.row === row)) ?? [];
      return html`<section class="claims-map" data-is="claims-map" aria-label=${word("claims_map")} ?hidden=${rows.length === 0}>
        ${known === null || rows.length === 0 ? nothing : map.draw({ roster: { ...known.roster, rows }, boards: known.boards }, { claims: places })}</section>`;
    },
    /** @param {Api.Picture} picture */
    draw(picture) {
      const placed = picture.claims.map((claim, index) => ({ claim, place: index + 1 }));
      const open = placed.filter(({ claim }) => claim.status === "open");
      const decided = placed.filter(({ claim }) => claim.status !== "open").reverse();
      const waiting = picture.claims.filter(isWaiting).length;
      steady.follow(["open", ...open.map(({ claim }) => claim.id)].join(" "));
      if (picture.phase === "ended" && placed.length === 0) return nothing;
      return html`<section class="card claims-card ${waiting > 0 ? "urgent" : ""}">
        <header class="claims-top"><h2>${word("claims_card")}</h2>
          ${picture.phase === "ended" ? nothing : desk.button("claim", word(picture.phase === "collecting" ? "new_sheet" : "new_claim"), () => openPanel(NEW_CLAIM), { is: "enter-claim" })}</header>
        <p class="hint" data-is="claims-hint">${hint(picture, waiting)}</p>
        <ol class="claims">${repeat(open, ({ claim }) => claim.id, ({ claim, place }) => openLine(picture, claim, place))}</ol>
        ${rankingList(picture)}
        ${judge.compare(picture)}
        ${decided.length === 0 ? nothing : html`<details class="decided" data-is="decided"><summary>${word("claims_decided", { count: decided.length })}</summary>
          <ol class="claims">${repeat(decided, ({ claim }) => claim.id, ({ claim, place }) => decidedLine(picture, claim, place))}</ol></details>`}
      </section>`;
    },
  };
}

// Entering a claim that was called, or a sheet for the ranking: a panel of its own.

/**
 * @param {Desk} desk
 * @param {TablesHub} hub
 * @param {Judging} judge
 */
export function claimEntry(desk, hub, judge) {
  /** @type {Side | null} */
  let side = null; // null: the one that was or is active
  /** @type {string | null} */
  let begun = null; // the side that was active when its board was begun
  /** @type {string | null} */
  let press = null; // whose moment it takes; null: now

  /**
   * The moments that it may take; `taken` is the press that is chosen.
   * @param {Api.PressView[]} presses
   * @param {Api.PressView | undefined} taken
   * @param {Api.Picture} picture
   */
  function moments(presses, taken, picture) {
    if (presses.length === 0) return nothing;
    const given = [{ id: null, text: word("claim_now") }, ...presses.map((each) => ({ id: each.id, text: momentText(each, "claim_moment", picture) }))];
    return html`<fieldset class="choice" data-is="claim-when"><legend>${word("claim_when")}</legend>${given.map(({ id, text }) =>
      html`<button type="button" class="toggle" aria-pressed=${id === (taken?.id ?? null)} @click=${() => (press = id)}>${text}</button>`)}</fieldset>`;
  }

  /** @param {Api.Picture} picture */
  return (picture) => {
    if (panelNow() !== NEW_CLAIM) return nothing;
    const { presses } = picture;
    const taken = presses.find(({ id }) => id === press);
    const active = picture.seats[picture.seat ?? picture.next_seat ?? 0]?.id ?? null;
    const acting = /** @type {Side} */ (side ?? taken?.side ?? begun ?? active);
    const turns = inTurns(picture);
    const collecting = picture.phase === "collecting";
    async function enter() {
      const board = part("claim-board").value.trim();
      if ((board === "" && !turns) || acting === undefined) return part("claim-board").focus();
      const { status } = await desk.send("claim", { board: board || null, side: acting, ...(taken === undefined ? {} : { press: taken.id }) });
      if (status !== "accepted" || part("claim-board").value.trim() !== board) return;
      part("claim-board").value = "";
      [side, begun, press] = [null, null, null];
      closePanel();
      if (collecting) judge.await({ board, side: acting });
    }
    return html`<section class="card panel" data-is="enter-panel" aria-label=${word(collecting ? "new_sheet" : "new_claim")}>
      <header class="panel-top"><button type="button" data-is="close-panel" @click=${closePanel}>‹ ${word("claims_card")}</button><h2>${word(collecting ? "new_sheet" : "new_claim")}</h2></header>
      <div class="fields">
        <label ?hidden=${turns}><span>${word("board")}</span><input data-is="claim-board" maxlength="24" autocomplete="off" autocapitalize="characters" enterkeyhint="done" @input=${() => (begun ??= active)}></label>
        ${sideChoice(picture, acting, (id) => (side = id))}
        ${moments(presses, taken, picture)}
        ${desk.button("claim", word("claim_go"), enter, { is: "claim-go", look: "do" })}
      </div>
      ${!turns && hub.roster !== null && hub.boards.length === 0 ? html`<p class="hint" data-is="any-board">${word("any_board")}</p>` : nothing}
      ${desk.against("claim")}
    </section>`;
  };
}

// What happens when a table claims, for Setup.

/**
 * @param {Desk} desk
 * @param {() => unknown} toneSwitch the button for the tone of new claims
 */
export const claimsSetup = (desk, toneSwitch) => html`<section class="card" data-is="claims-setup">
  <h2>${word("claims_mode")}</h2>
  <div class="row" role="group" aria-label=${word("claims_mode")}>${MODES.map(([mode, key]) =>
    desk.button("set_claims", word(key), () => desk.send("set_claims", { mode }), { look: "toggle", pressed: desk.picture?.claims_mode === mode }))}</div>
  <p class="hint">${desk.picture === null ? "" : word(`claims_mode_help_${desk.picture.claims_mode}`)}</p>
  <div class="row">${toneSwitch()}</div>
  ${desk.against("set_claims")}
</section>`;
