// Which of the directors directs, and taking over or handing over.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { redraw } from "../lib/dom.js";
import { jsonOf, openFeed, postJson } from "../lib/feed.js";
import { timeText, word } from "../lib/words.js";

// Which of the directors directs, as the controller tells it, and taking the game over or handing it over.

/**
 * @typedef {Selftest.DirectingView} DirectingView
 * @typedef {DirectingView["directors"][number]} Director
 */

export class Directing {
  /** @type {DirectingView | null} */
  view = null;
  /** What happened to this page's own directing, until it is put away. */
  news = "";
  /** @type {string[]} */
  refused = []; // the sentences that refused to take or to hand over
  /** @type {number | null} */
  #own = null; // the number of who is logged in here

  /** Until the first message nobody is known to direct. */
  constructor() {
    openFeed({ path: "/api/directing", onMessage: (/** @type {DirectingView} */ view) => this.#take(view) });
    this.#ask();
  }

  /** Whether another one directs: then everything but a pause is refused here. */
  get watching() {
    const directs = this.view?.directs ?? null;
    return directs !== null && this.#own !== null && directs !== this.#own;
  }

  get directs() {
    return this.view?.directs === this.#own ? this.#own : null;
  }

  /** Who else is logged in as director. */
  get others() {
    return (this.view?.directors ?? []).filter(({ number }) => number !== this.#own);
  }

  /** The name of who directs; empty when nobody does. */
  get name() {
    const found = this.view?.directors.find(({ number }) => number === this.view?.directs);
    return found === undefined ? "" : nameOf(found);
  }

  takeOver() {
    this.#post("take-over", { directs: this.view?.directs ?? null });
  }

  /** @param {number} to */
  handOver(to) {
    this.#post("hand-over", { to });
  }

  close() {
    [this.news, this.refused] = ["", []];
  }

  /**
   * @param {string} action
   * @param {object} body
   */
  async #post(action, body) {
    const { status, reasons } = await postJson(`/api/directing/${action}`, body, { unanswered: word("action_failed") });
    this.refused = status === "accepted" ? [] : reasons;
    redraw();
  }

  /** @param {DirectingView} view */
  #take(view) {
    const [before, own] = [this.view?.directs, this.#own];
    this.view = view;
    const [newest] = view.changes;
    if (own !== null && newest !== undefined && before !== undefined && before !== view.directs) {
      if (before === own) this.news = newest.how === "took_over" ? word("taken_over_from_you", { name: this.name }) : "";
      else this.news = view.directs === own && newest.how === "handed_over" ? word("handed_over_to_you") : "";
    }
  }

  async #ask() {
    const session = await jsonOf("/api/session");
    if (session === null) return;
    this.#own = session.number ?? 0;
    redraw();
  }
}

/** @param {Pick<Director, "number" | "name">} director */
const nameOf = ({ number, name }) => (number === 0 || name === "" ? word("directing_unnamed") : name);

// Who directs, among what is prepared.

/** @param {Directing} directing */
export function directingCard(directing) {
  /** @param {Director} director */
  function person(director) {
    const { number, here } = director;
    const hand = html`<button type="button" data-is="hand-over" @click=${() => directing.handOver(number)}>${word("hand_over_to", { name: nameOf(director) })}</button>`;
    return html`<li class="person"><span class="person-name">${nameOf(director)}</span><span class="hint">${word(here ? "director_here" : "director_away")}</span>
      ${here && !directing.watching ? hand : nothing}</li>`;
  }

  /** @param {DirectingView["changes"][number]} change */
  const change = (change) => html`<li><time>${timeText(Date.parse(change.at), { seconds: false })}</time> ${word(`direct_${change.how}`, { name: nameOf(change) })}</li>`;

  return () => {
    const { name, others, view } = directing;
    return html`<section class="card directing-card" data-is="directing-card">
      <h2>${word("directing_title")}</h2>
      <p>${name === "" ? word("directing_nobody") : word("directing_is", { name })}</p>
      <ul class="people">${others.map(person)}</ul>
      <ol class="direct-changes">${(view?.changes ?? []).map(change)}</ol>
      <p class="hint">${word("directing_help")}</p>
    </section>`;
  };
}
