// An earlier game in place of the feed: the same pictures, at the moment that is asked for.

import { speakOf, told, word } from "../words.js";

/**
 * @import { FeedState } from "../feed.js"
 * @typedef {Api.ReplayLine} Line
 */

/** The address of a game again; its last part is the game. */
export const isReplay = location.pathname.startsWith("/replay/");
export const game = decodeURIComponent(location.pathname.split("/").pop() ?? "");

/** As `Feed` to the page that shows it. `problem` is why there is nothing to show. */
export class ReplayFeed {
  /** @type {Api.Picture | null} */
  picture = null;
  why = "";
  problem = "";
  /** @type {Line[]} */
  lines = [];
  atMs = 0;
  playing = false;
  speed = 1;
  #place = -1;
  #framed = performance.now();

  /** @param {{ onPicture: (picture: Api.Picture) => void, onNews: () => void }} feed */
  constructor({ onPicture, onNews }) {
    this.onPicture = onPicture;
    this.onNews = onNews;
    this.load().catch((failure) => {
      if (!(failure instanceof TypeError)) throw failure;
      this.problem = word("answer_503");
    });
  }

  async load() {
    const answer = await fetch(`/api/games/${encodeURIComponent(game)}/replay`);
    if (answer.ok) {
      const text = await answer.text();
      this.lines = text.trimEnd().split("\n").map((line) => JSON.parse(line));
      this.seek(0);
    } else {
      const { error, reason_keys: keys } = await answer.json();
      this.problem = told(error, keys?.[0]);
    }
  }

  /** @returns {FeedState} */
  state() {
    this.#play();
    return this.picture === null ? "waiting" : "fresh";
  }

  /** Core's clock at the moment that is shown, in ms. */
  coreNow() {
    const line = this.line();
    return line === undefined ? null : line.picture.as_of_ms + (this.atMs - line.since_ms);
  }

  /** What stands at the moment that is shown. */
  line() {
    return this.lines[this.#place];
  }

  get lengthMs() {
    return this.lines.at(-1)?.since_ms ?? 0;
  }

  /** @param {number} atMs */
  seek(atMs) {
    this.atMs = Math.max(0, Math.min(this.lengthMs, atMs));
    const next = this.lines.findIndex((line) => line.since_ms > this.atMs);
    const place = next < 0 ? this.lines.length - 1 : Math.max(0, next - 1);
    const line = this.lines[place];
    if (place === this.#place || line === undefined) return;
    this.#place = place;
    speakOf(line.picture.rules.play);
    this.onPicture(line.picture);
    this.picture = line.picture;
    this.onNews();
  }

  #play() {
    const now = performance.now();
    const passed = now - this.#framed;
    this.#framed = now;
    if (!this.playing) return;
    this.seek(this.atMs + passed * this.speed);
    if (this.atMs >= this.lengthMs) this.playing = false;
  }
}
