// Two controllers that lead one game, or one that shall and does not: which hall leads is for the director to decide, and that hall's
// name is typed first.

import { html, nothing } from "../../vendor/lit-html/lit-html.js";
import { once } from "../../components/actions.js";
import { symbol } from "../../components/symbol.js";
import { part } from "../../dom.js";
import { postJson } from "../../post.js";
import { leaderText } from "../../screen_texts.js";
import { word } from "../../words.js";
import { goTo } from "../mode.js";

/** @import { Desk } from "../desk.js" */

/**
 * `open()`: whether there is something to decide, `way()` leads there, `draw()` is where it is decided.
 * @param {Desk} desk
 */
export function settlement(desk) {
  let [typed, said] = ["", ""];

  /** The link where another hall leads that this one knows by its name. */
  function disputed() {
    const link = desk.picture?.link ?? null;
    return link !== null && ["divided", "refused"].includes(link.state) && leaderText(link) !== "" ? link : null;
  }

  /** @param {boolean} lead */
  async function decide(lead) {
    const { status, reasons } = await postJson("/api/halls/settle", { lead, hall: typed }, { unanswered: word("action_failed") });
    said = status === "accepted" ? word("settle_done") : reasons.join(" ");
    if (status === "accepted") part("settle-hall").value = typed = "";
    desk.redraw();
  }

  /** @param {Event & { currentTarget: HTMLInputElement }} event */
  function type({ currentTarget: { value } }) {
    [typed, said] = [value.trim(), ""];
    desk.redraw();
  }

  /**
   * @param {boolean} lead
   * @param {Api.LinkView} link
   */
  function choice(lead, { hall: own, leader }) {
    const hall = leader ?? "?";
    return html`<div class="settle-choice">
      <p>${lead ? word("settle_lead_help", { own, hall }) : word("settle_give_way_help", { hall })}</p>
      <button type="button" class="risky" data-is=${lead ? "settle-lead" : "settle-give-way"} ?disabled=${desk.state !== "fresh" || typed !== (lead ? own : hall)}
        @click=${once(() => decide(lead))}>${word(lead ? "settle_lead" : "settle_give_way")}</button></div>`;
  }

  return {
    open: () => disputed() !== null,
    way: () => (disputed() === null ? nothing : html`<button type="button" class="small" data-is="settle-way" @click=${() => goTo("setup")}>${word("settle_title")}</button>`),
    draw() {
      const link = disputed();
      if (link === null) return nothing;
      return html`<section class="settle" data-is="settle" aria-label=${word("settle_title")}>
        <h3>${symbol("warning")}<span>${word("settle_title")}</span></h3>
        <label><span>${word("settle_type")}</span><input data-is="settle-hall" maxlength="16" autocomplete="off" autocapitalize="off" spellcheck="false" @input=${type}></label>
        ${choice(true, link)}${link.state === "divided" ? choice(false, link) : nothing}
        <p class="hint" data-is="settle-said" role="status">${said}</p>
      </section>`;
    },
  };
}
