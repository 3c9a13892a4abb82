// Does something to a table and says what became of it.

import { part, setText, show } from "../dom.js";
import { postJson } from "../post.js";
import { word } from "../words.js";

/** @import { TablesHub } from "../tables/hub.js" */

export class Deeds {
  /** @param {TablesHub} hub */
  constructor(hub) {
    this.hub = hub;
    part("answer-close").type = "button";
    part("answer-close").addEventListener("click", () => show(part("answer"), false));
  }

  /**
   * Resolves with whether it was done; what was refused is said at the foot of the page.
   * @param {Api.TableDeed["do"]} deed
   * @param {Omit<Api.TableDeed, "do">} body
   */
  async do(deed, body = {}) {
    const { status, reasons } = await postJson(`/api/tables/${deed}`, body, { unanswered: word("deedFailed") });
    const done = status === "accepted";
    setText(part("answer-text"), reasons.join(" "));
    show(part("answer"), !done);
    if (done) this.hub.fetchRoster();
    return done;
  }
}

/**
 * Makes `button` do something, and not twice at a time.
 * @param {HTMLButtonElement} button
 * @param {() => Promise<unknown>} act
 */
export function bind(button, act) {
  button.type = "button";
  button.addEventListener("click", async () => {
    button.disabled = true;
    await act();
    button.disabled = false;
  });
}
