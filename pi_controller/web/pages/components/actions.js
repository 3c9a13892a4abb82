// What somebody wants done goes to the controller; what was refused is said at the foot of the page until it is put away.

import { html } from "../vendor/lit-html/lit-html.js";
import { postJson } from "../post.js";
import { word } from "../words.js";
import { reasons } from "./reasons.js";

/**
 * @template {string} Name
 * @template {object} Body
 */
export class Actions {
  /** @type {string[]} */
  #refusal = [];

  /**
   * `path` is the address before the action's name; `onDone()` after each that was done.
   * @param {{ path: string, redraw: () => void, onDone?: () => void }} page
   */
  constructor({ path, redraw, onDone = () => {} }) {
    this.path = path;
    this.redraw = redraw;
    this.onDone = onDone;
  }

  /**
   * Resolves with whether it was done.
   * @param {Name} name
   * @param {Body | {}} body
   */
  async do(name, body = {}) {
    const { status, reasons: sentences } = await postJson(`${this.path}/${name}`, body, { unanswered: word("action_failed") });
    const done = status === "accepted";
    this.#say(done ? [] : sentences);
    if (done) this.onDone();
    return done;
  }

  draw() {
    return html`<div class="answer" data-is="answer" role="alert" ?hidden=${this.#refusal.length === 0}>
      ${reasons(this.#refusal)}<button type="button" class="plain" aria-label=${word("close")} @click=${() => this.#say([])}>×</button>
    </div>`;
  }

  /** @param {string[]} refusal */
  #say(refusal) {
    this.#refusal = refusal;
    this.redraw();
  }
}

/** @type {WeakSet<EventTarget>} */
const busy = new WeakSet();

/**
 * Does this on a click, and not twice at a time.
 * @param {() => Promise<unknown>} act
 */
export function once(act) {
  return async (/** @type {Event} */ { currentTarget: button }) => {
    if (!(button instanceof HTMLElement) || busy.has(button)) return;
    busy.add(button);
    button.ariaBusy = "true";
    await act();
    button.ariaBusy = null;
    busy.delete(button);
  };
}
