// Pressing, holding and breaking: what is done goes to the server in the order in which it was done.

import { word } from "../words.js";

const LET_GO = ["pointerup", "pointercancel", "lostpointercapture", "blur"];

/** @param {Response} response */
async function problemOf(response) {
  if (response.ok) return "";
  const isJson = response.headers.get("content-type")?.includes("application/json") ?? false;
  const told = isJson ? (await response.json()).error : undefined;
  return typeof told === "string" ? told : word("answerOther", { status: response.status });
}

export class Hands {
  #last = Promise.resolve();

  /**
   * `path` is the address before the deed's name; `onProblem(sentence)` gets "" when all went well.
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
   * Makes an element press while a pointer, Enter or Space is down on it; `body()` says what goes along, `deeds`
   * are the names of pressing and letting go.
   * @param {HTMLButtonElement} element
   * @param {() => object} body
   * @param {[string, string]} deeds
   */
  hold(element, body = () => ({}), deeds = ["press", "release"]) {
    let held = false;
    /** @param {boolean} down */
    const set = (down) => {
      if (held === down) return;
      held = down;
      this.do(down ? deeds[0] : deeds[1], body());
    };
    /**
     * @param {KeyboardEvent} event
     * @param {() => void} act
     */
    const byKey = (event, act) => {
      if (event.code !== "Space" && event.code !== "Enter") return;
      event.preventDefault();
      act();
    };
    element.type = "button";
    element.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      element.setPointerCapture(event.pointerId);
      set(true);
    });
    for (const end of LET_GO) element.addEventListener(end, () => set(false));
    element.addEventListener("contextmenu", (event) => event.preventDefault());
    element.addEventListener("keydown", (event) => byKey(event, () => event.repeat || set(true)));
    element.addEventListener("keyup", (event) => byKey(event, () => set(false)));
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
      this.onProblem(word("panelLost"));
    }
  }
}
