// What stands against the start: every reason at once. Where it may be started all the same, why is typed first; that goes into the journal.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { symbol } from "../components/symbol.js";
import { part } from "../dom.js";
import { allTold, word } from "../words.js";

/** @import { Desk } from "./desk.js" */

/** @param {Desk} desk */
export function startGate(desk) {
  async function start() {
    const reason = part("start-reason").value.trim();
    if (reason === "") return part("start-reason").focus();
    await desk.send("start", { override: true, reason });
  }

  return () => {
    const { picture } = desk;
    const against = picture?.phase === "ready" && picture.resume_in_ms === null && desk.state === "fresh" && !desk.follows ? (picture.allowed.start ?? null) : null;
    if (against === null) return nothing;
    return html`<section class="gate" data-is="gate" aria-label=${word("gate_title")}>
      <h2>${word("gate_title")}</h2>
      <ul>${allTold(against.reasons, against.keys).map((reason) => html`<li>${symbol("warning")}<span>${reason}</span></li>`)}</ul>
      ${against.override ? html`<div class="fields">
        <label class="wide"><span>${word("gate_why")}</span><input data-is="start-reason" maxlength="200" autocomplete="off"></label>
        <button type="button" class="risky" data-is="override" @click=${start}>${word("override_start")}</button>
      </div>` : nothing}
    </section>`;
  };
}
