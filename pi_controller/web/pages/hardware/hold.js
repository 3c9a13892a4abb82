// Whether the test is on, and the way in and out of it.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { word } from "../words.js";

/** @import { Line, LineState } from "./line.js" */

const SAID = /** @type {const} */ ({
  idle: ["hwIdle", "hwIdleHelp"],
  asking: ["hwAsking", "hwIdleHelp"],
  held: ["hwHeld", "hwHeldHelp"],
  refused: ["hwRefused", "hwIdleHelp"],
  over: ["hwOver", "hwIdleHelp"],
});

/**
 * @param {Line} line
 * @param {LineState} news
 */
export function holdCard(line, { state, reasons = [] }) {
  const [title, help] = SAID[state];
  const begin = () => html`<button type="button" class="strong" ?disabled=${state === "asking"} @click=${() => line.open()}>${word(state === "refused" ? "hwAgain" : "hwBegin")}</button>`;
  return html`<section class="card hold" data-is="hold" data-state=${state} aria-live="polite">
    <span class="hold-sign" aria-hidden="true"></span>
    <h2 data-is="hold-title">${word(title)}</h2>
    <p>${word(help)}</p>
    <ul class="reasons">${reasons.map((reason) => html`<li>${reason}</li>`)}</ul>
    <div class="row">
      ${state === "held" ? html`<button type="button" @click=${() => line.close()}>${word("hwEnd")}</button>` : begin()}
      ${state === "refused" ? html`<button type="button" @click=${() => line.open({ take: true })}>${word("hwTake")}</button>` : nothing}
    </div>
  </section>`;
}
