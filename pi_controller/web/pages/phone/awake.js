// Keeps the screen of a phone lit while its page is seen: by the browser's wake lock, which only a secure page has, otherwise by a
// muted video, for which browsers keep a screen on as well.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { make } from "../lib/dom.js";
import { word } from "../lib/words.js";

const KEPT = "awake";
const LOW = 0.2; // of a full battery
const FRAME_MS = 1_000;

/** What the video shows is drawn here: no file is asked for, and browsers count a stream as a call, however small it is and without sound. */
function stream() {
  const canvas = make("canvas");
  [canvas.width, canvas.height] = [16, 16];
  const brush = canvas.getContext("2d");
  setInterval(() => brush?.fillRect(0, 0, 1, 1), FRAME_MS); // a stream without new frames stands still
  return canvas.captureStream(1);
}

/** In a corner of the page, where it must be for the browser to count it as seen. */
function newVideo() {
  const video = make("video", "keeps-lit");
  video.muted = true;
  video.playsInline = true;
  video.ariaHidden = "true";
  video.srcObject = stream();
  document.body.append(video);
  return video;
}

/** Whether the browser tells that little is left; most tell nothing. */
async function isLow() {
  const battery = await navigator.getBattery?.();
  return battery !== undefined && battery.level < LOW;
}

export class Awake {
  #on = localStorage.getItem(KEPT) === "yes";
  #refused = false;
  /** @type {WakeLockSentinel | null} */
  #lock = null;
  /** @type {HTMLVideoElement | null} */
  #video = null;

  constructor() {
    // A hidden page loses its lock; a browser may want to see a touch first.
    for (const news of ["visibilitychange", "click"]) document.addEventListener(news, () => this.#hold());
    this.#begin();
  }

  /** The switch, and what to do where the browser refuses. */
  draw() {
    return html`<label class="switch lit"><input type="checkbox" data-is="awake" .checked=${this.#on} @input=${(/** @type {any} */ { currentTarget }) => this.#choose(currentTarget.checked)}><span>${word("phone_awake")}</span></label>
      ${this.#on && this.#refused ? html`<p class="help" data-is="awake-refused">${word("phone_no_awake")}</p>` : nothing}`;
  }

  async #begin() {
    if (localStorage.getItem(KEPT) === null) this.#on = !(await isLow());
    this.#hold();
  }

  /** @param {boolean} on */
  #choose(on) {
    localStorage.setItem(KEPT, on ? "yes" : "no");
    this.#on = on;
    if (on) return this.#hold();
    this.#video?.pause();
    this.#lock?.release();
  }

  async #hold() {
    if (!this.#on || document.hidden || this.#lock?.released === false) return;
    try {
      await ("wakeLock" in navigator ? this.#takeLock() : this.#play());
      this.#refused = false;
    } catch (problem) {
      if (!(problem instanceof DOMException)) throw problem;
      this.#refused = true;
    }
  }

  async #takeLock() {
    const lock = await navigator.wakeLock.request("screen");
    if (this.#on && (this.#lock?.released ?? true)) this.#lock = lock;
    else lock.release(); // switched off meanwhile, or asked for twice
  }

  async #play() {
    this.#video ??= newVideo();
    await this.#video.play();
  }
}
