// Which command buttons are of use now; a button that is off says why in its card.

import { setText } from "../dom.js";
import { sceneOf } from "../reading.js";
import { word } from "../words.js";

/**
 * @import { FeedState } from "../feed.js"
 * @import { WordKey } from "../words.js"
 * @import { Command, Commander } from "./commander.js"
 * @typedef {Command | "timer_stop"} Named
 * @typedef {{ send: Commander["send"], controls: Controls, whereOf: (board: string | null) => string }} Tools
 */

/** @type {readonly Named[]} */
const BEFORE_START = ["start", "contribute"];
/** @type {readonly Named[]} */
const DURING_GAME = ["skip", "add_time", "claim"];
/** @type {readonly Named[]} */
const UNTIL_END = [...DURING_GAME, "last_rounds", "end", "set_schedule"];

/**
 * The words' key for why a command is of no use now, or null. The game itself has the last word.
 * @param {Named} name
 * @param {Api.Picture | null} picture
 * @param {FeedState} state
 * @returns {WordKey | null}
 */
export function whyNot(name, picture, state) {
  if (state !== "fresh" || picture === null) return name === "pause" ? null : "whyLost";
  if (BEFORE_START.includes(name) && picture.phase !== "ready") return "whyStarted";
  if (DURING_GAME.includes(name) && picture.phase === "ready") return "whyReady";
  if (UNTIL_END.includes(name) && picture.phase === "ended") return "whyEnded";
  if (name === "timer" && sceneOf(picture) === "play") return "whyPlaying";
  return null;
}

export class Controls {
  /** @type {{ button: HTMLButtonElement, name: Named }[]} */
  #bound = [];
  /** @type {Api.Picture | null} */
  #picture = null;
  /** @type {FeedState} */
  #state = "waiting";

  /**
   * `button` gives the command `name`; `act` runs on a click.
   * @param {HTMLButtonElement} button
   * @param {Named} name
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
      if (place) reasons.set(place, new Set([...(reasons.get(place) ?? []), ...(why && !button.hidden ? [word(why)] : [])]));
    }
    for (const [place, texts] of reasons) setText(place, [...texts].join(" "));
  }

  /**
   * @param {HTMLButtonElement} button
   * @param {Named} name
   */
  #set(button, name) {
    const why = whyNot(name, this.#picture, this.#state);
    button.disabled = why !== null;
    button.title = why === null ? "" : word(why);
    return why;
  }
}
