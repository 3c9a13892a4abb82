// What has happened: the last actions, what undoing them would leave, undo, redo and replacement.

import { repeat } from "../vendor/lit-html/directives/repeat.js";
import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { closeDrawer, drawer, fold, opener } from "./page.js";
import { byWhom } from "../lib/components.js";
import { part, redraw } from "../lib/dom.js";
import { jsonOf } from "../lib/feed.js";
import { seatOf } from "../lib/seats.js";
import { allTold, spokenLanguage, told, word } from "../lib/words.js";

/** @import { Desk } from "../lib/desk.js" */

// The last actions as the controller tells them, with what undoing each would leave; asked for anew with each change of the game.

/** Keeps the newest answer. */
export class Actions {
  /** @type {Api.ActionsView | null} */
  known = null;
  #asked = ""; // session and number of the picture that the newest question was about
  #asking = false;

  /**
   * Asks about this picture, if nobody has; while an answer is under way the newest picture waits for it.
   * @param {Api.Picture | null} picture
   */
  async follow(picture) {
    const key = picture === null ? this.#asked : `${picture.session}/${picture.seq}`;
    if (this.#asking || key === this.#asked) return;
    this.#asked = key;
    this.#asking = true;
    this.known = (await fetchActions()) ?? this.known;
    this.#asking = false;
    redraw();
  }

  /** The one that the next undo takes back, and the one that the next redo brings back. */
  get next() {
    const first = (/** @type {Api.ActionView[] | undefined} */ actions) => actions?.find(({ steps }) => steps === 1) ?? null;
    return { undo: first(this.known?.actions), redo: first(this.known?.undone) };
  }
}

/**
 * @param {string} [query]
 * @returns {Promise<Api.ActionsView | null>}
 */
const fetchActions = (query = "") => jsonOf(`/api/actions${query}`, { headers: { "Accept-Language": spokenLanguage() } });

/**
 * What was done, in the language of the page.
 * @param {Api.ActionView} action
 */
const saidOf = ({ text, said }) => told(text, said);

// What an undo, a redo or a replacement would leave of the game, in one line. Pure: no DOM.

/**
 * @param {Api.Picture} picture
 * @param {Api.OutcomeView} outcome
 */
function outcomeText(picture, { phase, round = 0, side = null, paused, remaining_ms: left = 0, open_claims: claims = 0, reasons = [], keys = [] }) {
  if (phase === "unseen") return word("outcome_unseen");
  if (reasons.length > 0) return allTold(reasons, keys).join(" ");
  if (phase === "ready") return word("ready_title");
  if (phase === "ended") return word("ended_title");
  if (phase === "collecting") return word("collecting_title");
  const facts = [word(phase === "robber" ? "after_round" : "round", { round })];
  if (side !== null) facts.push(seatOf(picture, side).name);
  facts.push(word("outcome_left", { seconds: left / 1_000 }), word(paused ? "outcome_paused" : "outcome_running"));
  if (claims > 0) facts.push(word("outcome_claims", { count: claims }));
  return facts.join(" · ");
}

// What has happened, newest first: each action with its moment, who did it, and how far back an undo would have to go to take it back.

const NEAR = 3; // so many can be taken back without opening the fold

/**
 * @param {Desk} desk
 * @param {Actions} actions
 */
export function timelineFold(desk, actions) {
  /** @type {number | null} */
  let chosen = null; // id of the oldest action that is to be undone

  /** @param {number | null} id */
  function choose(id) {
    chosen = id === chosen ? null : id;
  }

  /** @param {number} steps */
  async function undo(steps) {
    chosen = null;
    /** @type {Api.Picture | { seq: number, session: string } | null} */
    let seen = desk.picture;
    for (let step = 0; step < steps && seen !== null; step += 1) {
      const { status, seq } = await desk.send("undo", {}, seen);
      if (status !== "accepted" || seq === undefined) return;
      seen = { seq, session: seen.session };
    }
  }

  /**
   * What taking back everything up to this action would leave, and the button that does it.
   * @param {Api.ActionView} action
   */
  function sure({ steps, outcome }) {
    if (steps === null || outcome === null || desk.picture === null) return nothing;
    return html`<div class="act-sure">
      <p class="after">${outcomeText(desk.picture, outcome)}</p>
      ${(outcome.reasons?.length ?? 0) > 0 ? nothing : desk.button("undo", word("undo_steps", { count: steps }), () => undo(steps), { is: "undo-steps", look: "do" })}
      <button type="button" @click=${() => choose(null)}>${word("cancel")}</button>
    </div>`;
  }

  /** @param {Api.ActionView} action */
  function line(action) {
    const { id, steps, at_ms: at, source } = action;
    const open = chosen === id;
    return html`<li class="act ${open ? "chosen" : ""}">
      <time>${desk.timeOf(at)}</time><span class="act-said">${saidOf(action)}</span><span class="act-by">${byWhom(source)}</span>
      ${steps === null || desk.picture?.closed ? nothing : html`<button type="button" class="plain" aria-expanded=${open} aria-label=${word("undo_to_here", { what: saidOf(action) })} @click=${() => choose(id)}>↶</button>`}
    </li>`;
  }

  return () => {
    const [done, undone] = [actions.known?.actions ?? [], actions.known?.undone ?? []];
    const open = done.find(({ id }) => id === chosen);
    const gone = undone.length === 0 ? "" : word("undone_are", { count: undone.length });
    return fold("log", word("log_title"), gone, html`<ol class="acts" data-is="acts-before">${repeat(done.slice(NEAR), ({ id }) => id, line)}</ol>`, html`
      ${open === undefined ? nothing : sure(open)}
      <ol class="acts" data-is="acts">${done.length === 0 ? html`<li class="hint">${word("log_empty")}</li>` : repeat(done.slice(0, NEAR), ({ id }) => id, line)}</ol>`);
  };
}

// Undo by name, redo, and doing something else in place of the last action; what it will leave is shown before it is done.

/** @typedef {{ text: string, body: Api.ReplaceBody }} Choice */

const CHANGES_MS = [-15_000, -5_000, 5_000, 15_000];

/**
 * What may stand in place of the last action: each by its name.
 * @param {Api.Picture} picture
 * @returns {Choice[]}
 */
function choicesFor(picture) {
  const plain = /** @type {const} */ (["pause", "resume", "skip"]).map((name) => ({ text: word(`replace_${name}`), body: { name, body: {} } }));
  const times = CHANGES_MS.map((ms) => ({ text: word(ms < 0 ? "replace_less" : "replace_more", { seconds: Math.abs(ms) / 1_000 }), body: { name: "add_time", body: { ms } } }));
  const verdicts = picture.claims.filter(({ board }) => board !== null).flatMap(({ id, board }) => [
    { text: word("replace_confirmed", { board: String(board) }), body: { name: "verdict", body: { claim: id, confirmed: true } } },
    { text: word("replace_rejected", { board: String(board) }), body: { name: "verdict", body: { claim: id, confirmed: false } } },
  ]);
  return [...plain, ...times, ...verdicts];
}

/**
 * @param {Desk} desk
 * @param {Actions} actions
 */
export function undoCard(desk, actions) {
  /** @type {Choice | null} */
  let chosen = null;
  /** @type {Api.OutcomeView | null} */
  let outcome = null; // of the replacement that is chosen

  /** @param {Choice} choice */
  async function choose(choice) {
    [chosen, outcome] = [choice, null];
    const found = await fetchActions(`?replace=${encodeURIComponent(JSON.stringify(choice.body))}`);
    if (chosen?.text === choice.text) outcome = found?.outcome ?? null;
    redraw();
  }

  /** @param {"last_rounds" | "add_time"} name */
  function typed(name) {
    const { value } = part("replace-amount");
    if (!/^-?\d+$/.test(value)) return part("replace-amount").focus();
    const amount = Number(value);
    if (name === "add_time") choose({ text: word(amount < 0 ? "replace_less" : "replace_more", { seconds: Math.abs(amount) }), body: { name, body: { ms: amount * 1_000 } } });
    else choose({ text: word("replace_rounds", { count: amount }), body: { name, body: { count: amount } } });
  }

  function replace() {
    if (chosen === null) return;
    desk.send("undo", { replace: chosen.body });
    chosen = null;
    closeDrawer("replace");
  }

  /** @param {Api.Picture} picture */
  function replaceDrawer(picture) {
    const last = actions.next.undo;
    return drawer("replace", word("replace_title"), html`
      <p class="hint">${last === null ? word("replace_help") : word("replace_last", { what: saidOf(last) })}</p>
      <div class="chips">${choicesFor(picture).map((choice) =>
        html`<button type="button" class="toggle" aria-pressed=${choice.text === chosen?.text} @click=${() => choose(choice)}>${choice.text}</button>`)}</div>
      <div class="fields">
        <label><span>${word("amount")}</span><input data-is="replace-amount" type="number" step="1" inputmode="numeric"></label>
        <button type="button" data-is="replace-seconds" @click=${() => typed("add_time")}>${word("replace_add_time")}</button>
        <button type="button" data-is="replace-rounds" @click=${() => typed("last_rounds")}>${word("replace_last_rounds")}</button>
      </div>
      <p class="after" data-is="replace-after" role="status">${chosen === null || outcome === null ? nothing : outcomeText(picture, outcome)}</p>
      ${desk.button("undo", chosen === null ? word("replace_go") : word("replace_by", { what: chosen.text }), replace, { is: "replace-go", look: "do" })}`);
  }

  return () => {
    const { picture } = desk;
    const { undo, redo } = actions.next;
    const after = (/** @type {Api.ActionView | null} */ action) => (action?.outcome && picture ? outcomeText(picture, action.outcome) : "");
    const cannot = (/** @type {Api.ActionView | null} */ action) => action === null || picture?.closed === true || (action.outcome?.reasons?.length ?? 0) > 0;
    return html`<section class="card undo-card" aria-label=${word("correct_title")}>
      ${desk.button("undo", html`<b>${undo === null ? word("undo") : word("undo_named", { what: saidOf(undo) })}</b><span class="after" data-is="undo-after">${after(undo)}</span>`, () => desk.send("undo"), { is: "undo", look: "named", off: cannot(undo) })}
      ${desk.button("redo", html`<b>${redo === null ? word("redo") : word("redo_named", { what: saidOf(redo) })}</b><span class="after">${after(redo)}</span>`, () => desk.send("redo"), { is: "redo", look: "named", off: cannot(redo) })}
      ${opener("replace", word("replace_open"))}
      ${picture === null ? nothing : replaceDrawer(picture)}
    </section>`;
  };
}
