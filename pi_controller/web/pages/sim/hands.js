// Pressing, holding and breaking: what is done goes to the server in the order in which it was done.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { told, word } from "../words.js";

/** @typedef {{ is?: string, look: string, label: string, hint?: string, reachable?: boolean, style?: string, body?: object, actions?: [press: string, release: string] }} Held */

/** @param {Response} response */
async function problemOf(response) {
  if (response.ok) return "";
  const isJson = response.headers.get("content-type")?.includes("application/json") ?? false;
  const { error, reason_keys: keys } = isJson ? await response.json() : {};
  return typeof error === "string" ? told(error, keys?.[0]) : word("answer_other", { status: response.status });
}

/** @type {WeakSet<EventTarget>} */
const down = new WeakSet(); // elements on which a pointer or a key is down

/**
 * Whether this event presses the element or lets it go; null: neither.
 * @param {Event} event
 */
function pressOf(event) {
  if (event instanceof KeyboardEvent) {
    if (event.code !== "Space" && event.code !== "Enter") return null;
    event.preventDefault();
    return event.repeat ? null : event.type === "keydown";
  }
  if (event.type !== "pointerdown") return false;
  return event instanceof PointerEvent && event.button === 0 ? true : null;
}

export class Hands {
  #last = Promise.resolve();

  /**
   * `path` is the address before the action's name; `onProblem(sentence)` gets "" when all went well.
   * @param {(sentence: string) => void} onProblem
   * @param {string} path
   */
  constructor(onProblem, path = "/api/sim") {
    this.onProblem = onProblem;
    this.path = path;
  }

  /**
   * Does one thing after the ones before.
   * @param {string} name
   * @param {object} body
   */
  do(name, body = {}) {
    this.#last = this.#last.then(() => this.#post(name, body));
    return this.#last;
  }

  /**
   * A button that is pressed while a pointer, Enter or Space is down on it; `body` goes along, `actions` are the names of
   * pressing and letting go.
   * @param {unknown} content
   * @param {Held} options
   */
  button(content, { is, look, label, hint, reachable = true, style = "", body = {}, actions: [press, release] = ["press", "release"] }) {
    const act = (/** @type {Event} */ event) => {
      const button = /** @type {HTMLElement} */ (event.currentTarget);
      const pressed = pressOf(event);
      if (pressed === null || pressed === down.has(button)) return;
      if (pressed && event instanceof PointerEvent) button.setPointerCapture(event.pointerId);
      if (pressed) down.add(button);
      else down.delete(button);
      this.do(pressed ? press : release, body);
    };
    return html`<button type="button" class=${look} data-is=${is ?? nothing} aria-label=${label} title=${hint ?? nothing} tabindex=${reachable ? 0 : -1} .style=${style}
      @pointerdown=${act} @pointerup=${act} @pointercancel=${act} @lostpointercapture=${act} @blur=${act} @keydown=${act} @keyup=${act}
      @contextmenu=${(/** @type {Event} */ event) => event.preventDefault()}>${content}</button>`;
  }

  /**
   * @param {string} name
   * @param {object} body
   */
  async #post(name, body) {
    try {
      const response = await fetch(`${this.path}/${name}`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(body),
      });
      this.onProblem(await problemOf(response));
    } catch (problem) {
      if (!(problem instanceof TypeError)) throw problem;
      this.onProblem(word("panel_lost"));
    }
  }
}
