// What the cards of the director's page share: the newest picture, the way to send a command, and the buttons that
// give them. A button that is off says why; the game says what it allows.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { wallOf } from "../clock.js";
import { reasons } from "../components/reasons.js";
import { allTold, timeText, word } from "../words.js";

/**
 * @import { FeedState } from "../feed.js"
 * @import { Command, Commander } from "./commander.js"
 * @import { Directing } from "./directing/following.js"
 * @typedef {{ is?: string, look?: string, pressed?: boolean, hidden?: boolean }} ButtonLook
 */

export class Desk {
  /** @type {Api.Picture | null} */
  picture = null;
  /** @type {FeedState} */
  state = "waiting";
  /** @type {string[]} */
  lostWhy = [];
  /** @type {() => number | null} */
  #coreNow = () => null;

  /**
   * `redraw()` when something that a card remembers has changed.
   * @param {Commander} commander
   * @param {Pick<Directing, "watching" | "name">} directing
   * @param {() => void} redraw
   */
  constructor(commander, directing, redraw) {
    this.redraw = redraw;
    this.commander = commander;
    this.directing = directing;
    this.send = commander.send.bind(commander);
  }

  /**
   * What a card knows of the newest picture, from now on.
   * @param {{ picture: Api.Picture | null, state: FeedState, why: string, coreNow: () => number | null }} news
   */
  take({ picture, state, why, coreNow }) {
    [this.picture, this.state] = [picture, state];
    this.#coreNow = coreNow;
    this.commander.see(picture);
    this.lostWhy = state === "fresh" ? [] : [why || word("why_lost")];
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
    return timeText(wallOf(coreMs, this.#coreNow()));
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
   * The button that gives the command `name`; `act` runs on a click.
   * @param {Command} name
   * @param {unknown} content
   * @param {() => void} act
   * @param {ButtonLook} options
   */
  button(name, content, act, { is, look = "", pressed, hidden = false } = {}) {
    const why = this.whyNot(name);
    return html`<button type="button" class=${look} data-is=${is ?? nothing} title=${why.join(" ")} aria-pressed=${pressed ?? nothing}
      ?hidden=${hidden} ?disabled=${why.length > 0} @click=${act}>${content}</button>`;
  }

  /**
   * Why these commands may not be given, for the foot of their card.
   * @param {...Command} names
   */
  against(...names) {
    return reasons(names.flatMap((name) => this.whyNot(name)), { look: "why" });
  }
}
