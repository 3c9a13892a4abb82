// Another controller's stick in the place of the second copy: whether its game goes on here is for the director to decide.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { once } from "../components/actions.js";
import { symbol } from "../components/symbol.js";
import { postJson } from "../post.js";
import { word } from "../words.js";

/** @import { Desk } from "./desk.js" */

const KEY = "journal.copy_of_another";

/**
 * @param {Desk} desk
 * @param {() => void} redraw
 */
export function copyQuestion(desk, redraw) {
  /** @type {string[]} */
  let refused = [];

  /**
   * @param {"take_over" | "use"} what
   * @param {string} game
   */
  async function decide(what, game) {
    refused = (await postJson("/api/copy", { do: what, game }, { unanswered: word("action_failed") })).reasons;
    redraw();
  }

  return () => {
    const found = desk.state === "fresh" ? desk.picture?.health.items.find(({ key }) => key === KEY) : undefined;
    if (found === undefined) return nothing;
    const { hall, game } = /** @type {{ hall: unknown, game: string }} */ (found.params);
    const whose = typeof hall === "string" ? hall : word("copy_another");
    return html`<section class="gate" data-is="copy" aria-label=${word("copy_title")}>
      <h2>${symbol("warning")}${word("copy_question", { hall: whose })}</h2>
      <p>${word("copy_help", { game })}</p>
      <div class="fields">
        <button type="button" class="risky" data-is="copy-take-over" @click=${once(() => decide("take_over", game))}>${word("copy_take_over")}</button>
        <button type="button" data-is="copy-use" @click=${once(() => decide("use", game))}>${word("copy_use")}</button>
      </div>
      <p class="mistake" data-is="copy-mistake" role="alert">${refused.join(" ")}</p>
    </section>`;
  };
}
