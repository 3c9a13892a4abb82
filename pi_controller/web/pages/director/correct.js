// Undo, redo, and doing something else instead.

import { html } from "../vendor/lit-html/lit-html.js";
import { options } from "../components/list.js";
import { part } from "../dom.js";
import { word } from "../words.js";

/**
 * @import { WordKey } from "../words.js"
 * @import { Desk } from "./desk.js"
 * @typedef {(typeof CHOICES)[number]} Choice
 */

const CHOICES = /** @type {const} */ (["pause", "resume", "skip", "add_time", "last_rounds", "confirmed", "rejected"]);
/** @type {readonly Choice[]} */
const WITH_NUMBER = ["add_time", "last_rounds"];
/** @type {readonly Choice[]} */
const WITH_CLAIM = ["confirmed", "rejected"];

/**
 * The replacement as the contract's {name, body}, or the key of a sentence that says what is missing.
 * @param {Choice} choice
 * @param {string} amount
 * @param {string} claim
 * @returns {Api.ReplaceBody | "need_claim" | "need_number"}
 */
function replacementOf(choice, amount, claim) {
  if (choice === "add_time" || choice === "last_rounds") {
    if (!/^-?\d+$/.test(amount)) return "need_number";
    return { name: choice, body: choice === "add_time" ? { ms: Number(amount) * 1_000 } : { count: Number(amount) } };
  }
  if (choice === "confirmed" || choice === "rejected") {
    return claim === "" ? "need_claim" : { name: "verdict", body: { claim, confirmed: choice === "confirmed" } };
  }
  return { name: choice, body: {} };
}

/** @param {Desk} desk */
export function correctCard(desk) {
  /** @type {Choice} */
  let choice = CHOICES[0];
  /** @type {WordKey | null} */
  let mistake = null;

  /** @param {Event & { currentTarget: EventTarget }} event */
  function choose({ currentTarget }) {
    choice = CHOICES.find((each) => each === /** @type {HTMLSelectElement} */ (currentTarget).value) ?? choice;
    desk.redraw();
  }

  function replace() {
    const replacement = replacementOf(choice, part("replace-amount").value, part("replace-claim").value);
    mistake = typeof replacement === "string" ? replacement : null;
    if (typeof replacement !== "string") desk.send("undo", { replace: replacement });
    desk.redraw();
  }

  return () => html`<section class="card">
    <h2>${word("correct_title")}</h2>
    <div class="row">
      ${desk.button("undo", word("undo"), () => desk.send("undo"), { is: "undo" })}
      ${desk.button("redo", word("redo"), () => desk.send("redo"), { is: "redo" })}
    </div>
    <details>
      <summary>${word("replace_title")}</summary>
      <p class="hint">${word("replace_help")}</p>
      <div class="fields">
        <label><span>${word("replace_with")}</span><select data-is="replace-name" @change=${choose}>${options(CHOICES.map((name) => [name, word(`replace_${name}`)]))}</select></label>
        <label ?hidden=${!WITH_NUMBER.includes(choice)}><span>${word("amount")}</span><input data-is="replace-amount" type="number" step="1" inputmode="numeric"></label>
        <label ?hidden=${!WITH_CLAIM.includes(choice)}><span>${word("which_claim")}</span><select data-is="replace-claim">
          ${options((desk.picture?.claims ?? []).map(({ id, board }) => [id, board ?? word("claim_button")]))}
        </select></label>
        ${desk.button("undo", word("replace_go"), replace, { is: "replace-go" })}
      </div>
      <p class="mistake" data-is="replace-mistake" role="alert">${mistake === null ? "" : word(mistake)}</p>
    </details>
    ${desk.against("undo", "redo")}
  </section>`;
}
