// Whether the test is on, and the way in and out of it.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { word } from "../words.js";

/** @import { Line, LineState } from "./line.js" */

const SAID = /** @type {const} */ ({
  idle: ["hardware_idle", "hardware_idle_help"],
  asking: ["hardware_asking", "hardware_idle_help"],
  held: ["hardware_held", "hardware_held_help"],
  refused: ["hardware_refused", "hardware_idle_help"],
  over: ["hardware_over", "hardware_idle_help"],
});

/**
 * @param {Line} line
 * @param {LineState} news
 */
export function holdCard(line, { state, reasons = [] }) {
  const [title, help] = SAID[state];
  const begin = () => html`<button type="button" class="strong" ?disabled=${state === "asking"} @click=${() => line.open()}>${word(state === "refused" ? "hardware_again" : "hardware_begin")}</button>`;
  return html`<section class="card hold" data-is="hold" data-state=${state} aria-live="polite">
    <span class="hold-sign" aria-hidden="true"></span>
    <h2 data-is="hold-title">${word(title)}</h2>
    <p>${word(help)}</p>
    <ul class="reasons">${reasons.map((reason) => html`<li>${reason}</li>`)}</ul>
    <div class="row">
      ${state === "held" ? html`<button type="button" @click=${() => line.close()}>${word("hardware_end")}</button>` : begin()}
      ${state === "refused" ? html`<button type="button" @click=${() => line.open({ take: true })}>${word("hardware_take")}</button>` : nothing}
    </div>
  </section>`;
}
