// Pressing, holding and breaking: what is done goes to the server in the order in which it was done.

import { word } from "../words.js";

export class Hands {
  #last = Promise.resolve();
  #holding = false;

  constructor(onProblem) {
    this.onProblem = onProblem;
  }

  /** Does one thing after the ones before. */
  do(name, body = {}) {
    this.#last = this.#last.then(() => this.#post(name, body));
    return this.#last;
  }

  /** Makes an element press while a pointer, Enter or Space is down on it. */
  hold(element) {
    element.type = "button";
    element.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      element.setPointerCapture(event.pointerId);
      this.#press();
    });
    for (const end of ["pointerup", "pointercancel", "lostpointercapture", "blur"]) element.addEventListener(end, () => this.#release());
    element.addEventListener("contextmenu", (event) => event.preventDefault());
    element.addEventListener("keydown", (event) => this.#key(event, () => !event.repeat && this.#press()));
    element.addEventListener("keyup", (event) => this.#key(event, () => this.#release()));
  }

  #key(event, act) {
    if (event.code !== "Space" && event.code !== "Enter") return;
    event.preventDefault();
    act();
  }

  #press() {
    if (this.#holding) return;
    this.#holding = true;
    this.do("press");
  }

  #release() {
    if (!this.#holding) return;
    this.#holding = false;
    this.do("release");
  }

  async #post(name, body) {
    try {
      const response = await fetch(`/api/sim/${name}`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(body),
      });
      this.onProblem(response.ok ? "" : word("answerOther", { status: response.status }));
    } catch (problem) {
      if (!(problem instanceof TypeError)) throw problem;
      this.onProblem(word("panelLost"));
    }
  }
}
