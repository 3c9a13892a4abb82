// Which of the directors directs, as the controller tells it, and taking the game over or handing it over.

import { jsonOf } from "../../asked.js";
import { OpenFeed } from "../../open_feed.js";
import { postJson } from "../../post.js";
import { word } from "../../words.js";

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

  /** @param {() => void} onChange */
  constructor(onChange) {
    this.onChange = onChange;
  }

  /** From now on; until the first message nobody is known to direct. */
  follow() {
    /** @type {OpenFeed<DirectingView>} */
    const feed = new OpenFeed({ path: "/api/directing", onMessage: (view) => this.#take(view), onOpen: () => {} });
    feed.open();
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
    this.onChange();
  }

  /**
   * @param {string} action
   * @param {object} body
   */
  async #post(action, body) {
    const { status, reasons } = await postJson(`/api/directing/${action}`, body, { unanswered: word("action_failed") });
    this.refused = status === "accepted" ? [] : reasons;
    this.onChange();
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
    this.onChange();
  }

  async #ask() {
    const session = await jsonOf("/api/session");
    if (session === null) return;
    this.#own = session.number ?? 0;
    this.onChange();
  }
}

/** @param {Pick<Director, "number" | "name">} director */
export const nameOf = ({ number, name }) => (number === 0 || name === "" ? word("directing_unnamed") : name);
