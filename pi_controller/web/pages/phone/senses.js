// What a phone can do besides showing: tremble when the own turn begins or play stops, and keep its screen on.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { sceneOf } from "../reading.js";
import { word } from "../words.js";

const KEY = "vibrate";
const TURN_MS = [200, 100, 200];
const PAUSE_MS = [600];
const CAN_VIBRATE = "vibrate" in navigator;
const CAN_STAY_AWAKE = "wakeLock" in navigator; // in a secure context only: not over plain HTTP

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
    const felt = own ? `turn_${picture.round}` : scene;
    const before = this.#felt;
    this.#felt = felt;
    if (before === "" || felt === before || !this.#vibrates || !CAN_VIBRATE || navigator.userActivation?.hasBeenActive === false) return;
    if (own) navigator.vibrate(TURN_MS);
    else if (scene === "pause") navigator.vibrate(PAUSE_MS);
  }

  /** What of it can be switched here, and what this browser cannot do. */
  switches() {
    const vibration = html`<label class="switch"><input type="checkbox" .checked=${this.#vibrates} @change=${(/** @type {Event} */ event) => this.#switchVibration(event)}><span>${word("phone_vibrate")}</span></label>`;
    const awake = html`<label class="switch"><input type="checkbox" .checked=${this.#awake} @change=${(/** @type {Event} */ event) => this.#switchAwake(event)}><span>${word("phone_awake")}</span></label>`;
    return html`${CAN_VIBRATE ? vibration : nothing}${CAN_STAY_AWAKE ? awake : html`<p class="help">${word("phone_no_awake")}</p>`}`;
  }

  /** @param {Event} event */
  #switchVibration({ currentTarget }) {
    this.#vibrates = /** @type {HTMLInputElement} */ (currentTarget).checked;
    localStorage.setItem(KEY, this.#vibrates ? "yes" : "no");
  }

  /** @param {Event} event */
  #switchAwake({ currentTarget }) {
    this.#awake = /** @type {HTMLInputElement} */ (currentTarget).checked;
    if (this.#awake) this.#stayAwake();
  }

  /** Until the page is hidden; the browser may refuse it when the battery is low, and asks nobody. */
  async #stayAwake() {
    if (document.visibilityState !== "visible") return;
    await navigator.wakeLock.request("screen").catch((problem) => {
      if (!(problem instanceof DOMException)) throw problem;
    });
  }
}
