// What the cards of the director's and the judge's page share: sending commands, the newest picture, buttons that say why they are off.

import { html, nothing, render } from "../vendor/lit-html/lit-html.js";
import { wallOf } from "./clock.js";
import { reasons } from "./components.js";
import { part, redraw, redrawAfter } from "./dom.js";
import { Feed, newKey } from "./feed.js";
import { linkLine, liveView } from "./head.js";
import { allTold, spokenLanguage, timeText, word } from "./words.js";

/**
 * @import { Directing } from "../director/directors.js"
 * @import { FeedState, Outcome } from "./feed.js"
 */

/**
 * @typedef {keyof Api.Commands} Command
 * @typedef {{ name: Command, body: object, key: string, status: Outcome["status"] | "pending", reasons: string[], seen: Seen | null, seq?: number }} Entry
 * @typedef {Pick<Api.Picture, "seq" | "session">} Seen
 */

const REMEMBERED = 12;

/** @typedef {{ is?: string, look?: string, pressed?: boolean, hidden?: boolean, off?: boolean }} ButtonLook */

// The newest picture, the way to send a command, and the buttons that give them. A button that is off says why; the game says what it allows.

export class Desk {
  /** @type {Api.Picture | null} */
  picture = null;
  /** @type {FeedState} */
  state = "waiting";
  /** @type {string[]} */
  lostWhy = [];
  /** @type {Entry[]} */
  entries = []; // what was sent, newest first
  /** @type {string | null} */
  #why = null; // of the feed, as it was shown; null before the first frame
  feed = new Feed({ onPicture: (picture) => this.#show("fresh", picture), path: () => `/api/desk?lang=${spokenLanguage()}` });

  /**
   * `onNews(picture)` with each picture and when it is old, `onFrame(state)` with each frame from `frame()` on, `onEntry(newest)` for each change of
   * an entry; `way()` leads to where something can be done about a link that is not well.
   * @param {Pick<Directing, "watching" | "name">} directing
   * @param {{ onNews: (picture: Api.Picture | null) => void, onFrame?: (state: FeedState) => void, onEntry?: (newest: Entry) => void, way?: () => unknown }} page
   */
  constructor(directing, { onNews, onFrame = () => {}, onEntry = () => {}, way = () => nothing }) {
    this.directing = directing;
    this.page = { onNews, onFrame, onEntry, way };
  }

  /**
   * @param {FeedState} state
   * @param {Api.Picture | null} picture
   */
  #show(state, picture) {
    const { why } = this.feed;
    [this.state, this.picture, this.#why] = [state, picture, why];
    this.lostWhy = state === "fresh" ? [] : [why || word("why_lost")];
    document.body.dataset.state = state;
    this.page.onNews(picture);
    redraw();
  }

  frame() {
    const { feed, page } = this;
    const state = feed.state();
    if (state !== this.state || feed.why !== this.#why) this.#show(state, feed.picture);
    render(state === "fresh" ? linkLine(feed.picture, feed.coreNow(), page.way()) : nothing, part("link"));
    render(liveView(feed), part("live"));
    page.onFrame(state);
    requestAnimationFrame(() => this.frame());
  }

  /**
   * Sends a command with a new key; resolves with its entry when the answer is there. `seen` is what its sender knows of the game; without
   * it that is the picture that the page shows.
   * @template {Command} Name
   * @param {Name} name
   * @param {Api.Commands[Name]} [body]
   * @param {Seen | null} [seen]
   */
  send(name, body, seen = null) {
    /** @type {Entry} */
    const entry = { name, body: body ?? {}, key: newKey(), status: "pending", reasons: [], seen };
    this.entries = [entry, ...this.entries].slice(0, REMEMBERED);
    return this.sendAgain(entry);
  }

  /**
   * The same command with the same key: it counts once, however often it arrives.
   * @param {Entry} entry
   */
  async sendAgain(entry) {
    this.#change(entry, { status: "pending", reasons: [] });
    this.#change(entry, await this.#post(entry));
    return entry;
  }

  /** @param {Entry} entry */
  #post({ name, body, key, seen }) {
    return this.feed.command(name, { body, key, seen: name === "pause" ? null : (seen ?? this.picture), unanswered: word("failed_help") });
  }

  /**
   * @param {Entry} entry
   * @param {Partial<Entry>} change
   */
  #change(entry, change) {
    Object.assign(entry, change);
    this.page.onEntry(this.entries[0] ?? entry);
    redraw();
  }

  /** Whether the game is another hall's: then everything but a pause is given there. */
  get follows() {
    return this.picture?.link?.role === "follower";
  }

  /**
   * The time of day of a moment of core's clock; "" until it is known what that clock shows now.
   * @param {number} coreMs
   */
  timeOf(coreMs) {
    return timeText(wallOf(coreMs, this.feed.coreNow()));
  }

  /**
   * Why a command is of no use now, in sentences. What an override goes over is left to the one who gives it.
   * @param {Command} name
   */
  whyNot(name) {
    if (this.state !== "fresh" || this.picture === null) return name === "pause" ? [] : [word("why_lost")];
    if (this.directing.watching) return name === "pause" ? [] : [word("directing_watch", { name: this.directing.name })];
    const against = this.picture.allowed[name] ?? null;
    return against === null || against.override ? [] : allTold(against.reasons, against.keys);
  }

  /**
   * The button that gives the command `name`; `act` runs on a click, and what it has come to is on the page then.
   * @param {Command} name
   * @param {unknown} content
   * @param {() => unknown} act
   * @param {ButtonLook} options
   */
  button(name, content, act, { is, look = "", pressed, hidden = false, off = false } = {}) {
    const why = this.whyNot(name);
    return html`<button type="button" class=${look} data-is=${is ?? nothing} title=${why.join(" ")} aria-pressed=${pressed ?? nothing}
      ?hidden=${hidden} ?disabled=${off || why.length > 0} @click=${() => redrawAfter(act())}>${content}</button>`;
  }

  /**
   * Why these commands may not be given, for the foot of their card.
   * @param {...Command} names
   */
  against(...names) {
    return reasons(names.flatMap((name) => this.whyNot(name)), { look: "why" });
  }
}
