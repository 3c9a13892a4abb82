// Which command buttons are of use now; a button that is off says why in its card. The game says what it allows.

import { setText } from "../dom.js";
import { word } from "../words.js";

/**
 * @import { FeedState } from "../feed.js"
 * @import { Command, Commander } from "./commander.js"
 * @typedef {{ send: Commander["send"], controls: Controls, whereOf: (board: string | null) => string }} Tools
 */

/**
 * Why a command is of no use now, in sentences. What an override goes over is left to the one who gives it.
 * @param {Command} name
 * @param {Api.Picture | null} picture
 * @param {FeedState} state
 */
export function whyNot(name, picture, state) {
  if (state !== "fresh" || picture === null) return name === "pause" ? [] : [word("whyLost")];
  const against = picture.allowed[name] ?? null;
  return against === null || against.override ? [] : against.reasons;
}

export class Controls {
  /** @type {{ button: HTMLButtonElement, name: Command }[]} */
  #bound = [];
  /** @type {Api.Picture | null} */
  #picture = null;
  /** @type {FeedState} */
  #state = "waiting";

  /**
   * `button` gives the command `name`; `act` runs on a click.
   * @param {HTMLButtonElement} button
   * @param {Command} name
   * @param {() => void} act
   */
  bind(button, name, act) {
    button.type = "button";
    button.addEventListener("click", act);
    this.#bound.push({ button, name });
    this.#set(button, name);
  }

  /**
   * @param {Api.Picture | null} picture
   * @param {FeedState} state
   */
  refresh(picture, state) {
    [this.#picture, this.#state] = [picture, state];
    this.#bound = this.#bound.filter(({ button }) => button.isConnected);
    const reasons = new Map();
    for (const { button, name } of this.#bound) {
      const why = this.#set(button, name);
      const place = button.closest("details")?.querySelector(".why") ?? button.closest(".card")?.querySelector(":scope > .why");
      if (place) reasons.set(place, new Set([...(reasons.get(place) ?? []), ...(button.hidden ? [] : why)]));
    }
    for (const [place, texts] of reasons) setText(place, [...texts].join(" "));
  }

  /**
   * @param {HTMLButtonElement} button
   * @param {Command} name
   */
  #set(button, name) {
    const why = whyNot(name, this.#picture, this.#state);
    button.disabled = why.length > 0;
    button.title = why.join(" ");
    return why;
  }
}
