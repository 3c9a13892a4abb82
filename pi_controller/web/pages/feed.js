// The room picture as it comes over the feed, and whether it is fresh enough to be shown.

import { CoreClock, systemTime } from "./clock.js";
import { speakOf, told, word } from "./words.js";

/** @typedef {"fresh" | "lost" | "version" | "waiting"} FeedState */

const STALE_AFTER_MS = 2_050; // a beat, which comes each second, may be a second late; the cover is there 0.4 s before the 2.5 s are over
const CONTRACT_VERSION = 1;
const RETRY_MS = [250, 500, 1_000, 2_000];
const RETRY_OF_SCREENS_MS = [250, 500]; // few, and looked at by everybody
const SILENCE_CHECK_MS = 500;

/** @param {string} path */
export function socketAddress(path) {
  return `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${path}`;
}

/**
 * What a feed looks at in a picture.
 * @typedef {Pick<Api.Picture, "as_of_ms" | "seq" | "session" | "version">} Stamped
 */

/**
 * Every page of a rehearsal says so, by `base.css`.
 * @param {object} picture
 */
function markRehearsal(picture) {
  if ("rehearsal" in picture && picture.rehearsal === true) document.documentElement.dataset.rehearsal = word("rehearsal");
  else delete document.documentElement.dataset.rehearsal;
}

/**
 * Keeps one socket open. `onPicture(picture)` is called for each picture before it counts, `onNews()` after,
 * and when `why` has changed.
 * Ask `state()` before showing anything.
 * @template {Stamped} [Picture=Api.Picture]
 */
export class Feed {
  /** @type {Picture | null} */
  picture = null;
  why = ""; // the sentence of a controller that does not start
  #clock = new CoreClock();
  /** @type {WebSocket | null} */
  #socket = null;
  #tries = 0;
  #openedAt = 0;
  /** @type {number | null} */
  #retry = null;
  #otherVersion = false;
  #retries = RETRY_MS;

  /** @param {{ onPicture: (picture: Picture) => void, onNews?: () => void, time?: typeof systemTime, path?: () => string }} feed */
  constructor({ onPicture, onNews = () => {}, time = systemTime, path = () => "/api/feed" }) {
    this.time = time;
    this.onPicture = onPicture;
    this.onNews = onNews;
    this.path = path;
    this.#connect();
    setInterval(() => this.#dropSilentSocket(), SILENCE_CHECK_MS);
  }

  /**
   * `fresh`, `waiting` (nothing yet), `lost` (too old) or `version` (another contract than this page's).
   * @returns {FeedState}
   */
  state() {
    if (this.#otherVersion) return "version";
    if (this.picture === null) return "waiting";
    return this.#age() <= STALE_AFTER_MS ? "fresh" : "lost";
  }

  /** A screen of the hall is looked at by everybody: it comes back sooner than a phone does. */
  hurry() {
    this.#retries = RETRY_OF_SCREENS_MS;
  }

  /** Core's clock now, in ms. */
  coreNow() {
    return this.#clock.at(this.time.mono());
  }

  #age() {
    return this.#clock.ageOfNews(this.time.mono(), this.time.wall());
  }

  #connect() {
    this.#retry = null;
    this.#openedAt = this.time.mono();
    const socket = new WebSocket(socketAddress(this.path()));
    this.#socket = socket;
    socket.onmessage = (event) => {
      if (this.#socket === socket) this.#take(JSON.parse(event.data));
    };
    socket.onclose = () => {
      if (this.#socket === socket) this.#connectLater();
    };
  }

  #connectLater() {
    if (this.#retry !== null) return;
    const delay = this.#retries[Math.min(this.#tries, this.#retries.length - 1)];
    this.#tries += 1;
    this.#retry = setTimeout(() => this.#connect(), delay);
  }

  #dropSilentSocket() {
    const patience = this.time.mono() - this.#openedAt > STALE_AFTER_MS;
    if (this.#retry === null && patience && this.state() !== "fresh") this.#startAgain();
  }

  #startAgain() {
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
    this.#clock.reset();
    this.#connectLater();
    this.#askWhy();
  }

  async #askWhy() {
    const answer = await fetch("/api/state", { headers: { Accept: "application/json" } }).catch(() => null);
    const given = answer?.status === 503 ? await answer.json().catch(() => ({})) : {};
    const why = this.state() === "fresh" ? "" : told(given.not_started ?? "", given.not_started_key);
    if (why === this.why) return;
    this.why = why;
    this.onNews();
  }

  /** @param {Picture | Api.Beat} message */
  #take(message) {
    // What lay in the line while this computer slept has no known age.
    if (this.#clock.slept(this.time.mono(), this.time.wall())) return this.#startAgain();
    this.#otherVersion = message.version !== CONTRACT_VERSION;
    if (this.#otherVersion) return;
    if (!("beat" in message)) this.#takePicture(message);
    // A beat of a picture that we have not got is no news about ours.
    else if (message.session === this.picture?.session && message.beat === this.picture.seq) this.#hear(message);
  }

  /** @param {Picture} picture */
  #takePicture(picture) {
    if (picture.session !== this.picture?.session) this.#clock.reset();
    if ("rules" in picture) speakOf(/** @type {Api.RulesView} */ (picture.rules).play);
    this.onPicture(picture); // one that cannot be shown is thrown out here, never counts as news, and the page gets covered
    this.picture = picture;
    markRehearsal(picture);
    this.why = "";
    this.#tries = 0;
    this.#hear(picture);
    this.onNews();
  }

  /** @param {Picture | Api.Beat} message */
  #hear(message) {
    this.#clock.heard(message.as_of_ms, this.time.mono(), this.time.wall());
  }
}
