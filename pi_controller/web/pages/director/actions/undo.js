// Undo by name, redo, and doing something else in place of the last action; what it will leave is shown before it is done.

import { html, nothing } from "../../vendor/lit-html/lit-html.js";
import { part } from "../../dom.js";
import { word } from "../../words.js";
import { foreseen, saidOf } from "./actions.js";
import { outcomeText } from "./outcome.js";
import { closeDrawer, drawer, opener } from "../drawers.js";

/**
 * @import { Actions } from "./actions.js"
 * @import { Desk } from "../desk.js"
 * @typedef {{ text: string, body: Api.ReplaceBody }} Choice
 */

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
    desk.redraw();
    const found = await foreseen(choice.body);
    if (chosen?.text === choice.text) outcome = found;
    desk.redraw();
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
    desk.redraw();
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
    return html`<section class="card undo-card" aria-label=${word("correct_title")}>
      ${desk.button("undo", html`<b>${undo === null ? word("undo") : word("undo_named", { what: saidOf(undo) })}</b><span class="after" data-is="undo-after">${after(undo)}</span>`, () => desk.send("undo"), { is: "undo", look: "named" })}
      ${desk.button("redo", html`<b>${redo === null ? word("redo") : word("redo_named", { what: saidOf(redo) })}</b><span class="after">${after(redo)}</span>`, () => desk.send("redo"), { is: "redo", look: "named", hidden: redo === null && desk.whyNot("redo").length > 0 })}
      ${opener("replace", word("replace_open"))}
      ${picture === null ? nothing : replaceDrawer(picture)}
    </section>`;
  };
}
