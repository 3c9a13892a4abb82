// What has happened, newest first: each action with its moment, who did it, and how far back an undo would have to go to take it back.

import { html, nothing } from "../../vendor/lit-html/lit-html.js";
import { repeat } from "../../vendor/lit-html/directives/repeat.js";
import { byWhom } from "../../components/by_whom.js";
import { word } from "../../words.js";
import { saidOf } from "./actions.js";
import { outcomeText } from "./outcome.js";

/**
 * @import { Actions } from "./actions.js"
 * @import { Desk } from "../desk.js"
 */

/**
 * @param {Desk} desk
 * @param {Actions} actions
 */
export function timelineCard(desk, actions) {
  /** @type {number | null} */
  let chosen = null; // id of the oldest action that is to be undone

  /** @param {number | null} id */
  function choose(id) {
    chosen = id === chosen ? null : id;
    desk.redraw();
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
      ${steps === null ? nothing : html`<button type="button" class="plain" aria-expanded=${open} aria-label=${word("undo_to_here", { what: saidOf(action) })} @click=${() => choose(id)}>↶</button>`}
    </li>`;
  }

  return () => {
    const [done, undone] = [actions.known?.actions ?? [], actions.known?.undone ?? []];
    const open = done.find(({ id }) => id === chosen);
    return html`
      ${open === undefined ? nothing : sure(open)}
      <ol class="acts" data-is="acts">
        ${undone.length === 0 ? nothing : html`<li class="act gone"><time></time><span class="act-said">${word("undone_are", { count: undone.length })}</span><span class="act-by"></span></li>`}
        ${done.length === 0 ? html`<li class="hint">${word("log_empty")}</li>` : repeat(done, ({ id }) => id, line)}
      </ol>`;
  };
}
