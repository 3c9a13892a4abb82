// What a phone can do besides showing: tremble when the own turn begins or play stops, and keep its screen on.

import { sceneOf } from "../reading.js";

const KEY = "vibrate";
const TURN_MS = [200, 100, 200];
const PAUSE_MS = [600];
export const CAN_VIBRATE = "vibrate" in navigator;

export class Senses {
  #felt = "";
  #vibrates = localStorage.getItem(KEY) !== "no";
  #awake = false;

  constructor() {
    document.addEventListener("visibilitychange", () => this.#awake && this.#stayAwake());
  }

  /**
   * A picture has come: tremble when with it the own turn begins or play stops.
   * @param {Phone.PhonePicture} picture
   * @param {string | null} side the own one
   */
  follow(picture, side) {
    const scene = sceneOf(picture);
    const own = scene === "play" && side !== null && picture.side === side;
    const felt = own ? `turn-${picture.round}` : scene;
    const before = this.#felt;
    this.#felt = felt;
    if (before === "" || felt === before || !this.#vibrates || !CAN_VIBRATE || navigator.userActivation?.hasBeenActive === false) return;
    if (own) navigator.vibrate(TURN_MS);
    else if (scene === "pause") navigator.vibrate(PAUSE_MS);
  }

  get vibrates() {
    return this.#vibrates;
  }

  set vibrates(on) {
    this.#vibrates = on;
    localStorage.setItem(KEY, on ? "yes" : "no");
  }

  get awake() {
    return this.#awake;
  }

  set awake(on) {
    this.#awake = on;
    if (on) this.#stayAwake();
  }

  /** Until the page is hidden; the browser may refuse it when the battery is low, and asks nobody. */
  async #stayAwake() {
    if (document.visibilityState !== "visible") return;
    await navigator.wakeLock.request("screen").catch((problem) => {
      if (!(problem instanceof DOMException)) throw problem;
    });
  }
}
