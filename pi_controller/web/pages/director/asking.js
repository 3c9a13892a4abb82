// A question before what cannot be taken back lightly; it closes again by itself.

import { html } from "../vendor/lit-html/lit-html.js";
import { word } from "../words.js";

/** @import { Desk } from "./desk.js" */

const SURE_FOR_MS = 15_000;

/** @template {"end" | "close" | "arm"} What */
export class Asking {
  /** @type {What | null} */
  what = null;
  /** @type {number | undefined} */
  #unasked;

  /** @param {Desk} desk */
  constructor(desk) {
    this.desk = desk;
  }

  /**
   * From now on this is asked; null: nothing.
   * @param {What | null} what
   */
  ask(what) {
    this.what = what;
    this.desk.redraw();
    clearTimeout(this.#unasked);
    if (what === null) return;
    /** @type {HTMLElement | null} */ (document.querySelector(`[data-is="${what}-cancel"]`))?.focus();
    this.#unasked = setTimeout(() => this.ask(null), SURE_FOR_MS);
  }

  /**
   * The question with its two answers, hidden unless it is asked now and `possible`.
   * @param {What} what
   * @param {{ possible: boolean, question: string, yes: string, act: () => unknown }} options
   */
  draw(what, { possible, question, yes, act }) {
    return html`<div class="sure" data-is="${what}-sure" ?hidden=${this.what !== what || !possible}>
      <p>${question}</p>
      ${this.desk.button(what, yes, () => this.#act(act), { is: `${what}-now`, look: "danger" })}
      <button type="button" data-is="${what}-cancel" @click=${() => this.ask(null)}>${word("cancel")}</button>
    </div>`;
  }

  /** @param {() => unknown} act */
  #act(act) {
    this.ask(null);
    act();
  }
}
