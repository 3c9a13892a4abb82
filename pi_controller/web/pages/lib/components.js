// Templates that several pages show.

import { repeat } from "../vendor/lit-html/directives/repeat.js";
import { html, nothing, render, svg } from "../vendor/lit-html/lit-html.js";
import { redraw } from "./dom.js";
import { postJson } from "./feed.js";
import { seatFrom } from "./seats.js";
import { boardText } from "./texts.js";
import { hasWord, spokenLanguage, word } from "./words.js";

/** @import { Feed } from "./feed.js" */

// A symbol of symbols.svg in the text's colour.

/** @param {string} name */
export const symbol = (name) => html`<svg class="symbol" aria-hidden="true"><use href="#symbol-${name}"></use></svg>`;

/** Fills every `data-symbol` place of a page that is written by hand. */
export function furnish() {
  const places = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-symbol]"));
  for (const place of places) render(symbol(place.dataset.symbol ?? ""), place, { renderBefore: place.firstChild });
}

// Reasons in sentences: why a command may not be given now, why something was refused.

/**
 * In one paragraph, each said once.
 * @param {Iterable<string>} sentences
 * @param {{ is?: string, look?: string }} options
 */
export const reasons = (sentences, { is, look = "" } = {}) => html`<p class=${look} data-is=${is ?? nothing}>${[...new Set(sentences)].join(" ")}</p>`;

// A QR code that the server has made: dark on white in both themes, or no camera reads it.

/**
 * @param {{ size: number, path: string }} code
 * @param {string} label
 */
export const qrCode = ({ size, path }, label) =>
  html`<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label=${label} shape-rendering="crispEdges"><path d=${path}></path></svg>`;

// Lists: choices of a select, facts with their names.

/**
 * The choices of a select. Each keeps its element, so that what is chosen stays chosen when others come and go.
 * @param {Iterable<readonly [value: string, text: string]>} choices
 */
export const options = (choices) => repeat(choices, ([value]) => value, ([value, text]) => html`<option value=${value}>${text}</option>`);

/**
 * Facts with their names; those to look at are marked. The list and each fact have these names as their classes.
 * @param {string} all
 * @param {string} each
 * @param {{ name: string, text: unknown, look?: boolean, wide?: boolean }[]} facts
 */
export function factList(all, each, facts) {
  const pair = (/** @type {(typeof facts)[number]} */ { name, text, look: marked = false, wide = false }) =>
    html`<div class="${each} ${marked ? "look" : ""} ${wide ? "wide" : ""}"><dt>${name}</dt><dd>${text}</dd></div>`;
  return html`<dl class=${all} data-is=${all}>${facts.map(pair)}</dl>`;
}

// Who claims: the board, or the pause button, and the seat.

/**
 * @param {Api.Picture} picture
 * @param {Pick<Api.ClaimView, "board" | "side">} claim
 */
export function claimant(picture, claim) {
  const seat = seatFrom(picture, claim);
  return html`<span class="claim-who">${boardText(claim, picture)}${seat === null ? nothing : html`${symbol(seat.sign)}<span>${seat.name}</span>`}</span>`;
}

// Who gave a command, in the words of the page.

/**
 * `web:Bea` is a director by name, `web:judge:Anna` another role; a name that has gone is a number, one that is left out is empty.
 * @param {string} source
 */
export function byWhom(source) {
  const key = `by_${source}`;
  if (hasWord(key)) return word(key);
  const [from, first, ...rest] = source.split(":");
  if (from !== "web" || first === undefined) return source;
  const role = `role_${first}`;
  if (!hasWord(role)) return [first, ...rest].join(":");
  return rest.length === 0 || rest[0] === "0" ? word(role) : word("link_of", { name: rest.join(":"), role: word(role) });
}

// A roll: its dice with drawn pips, and what they mean.

/**
 * Where a pip may be, on a die of 100 by 100.
 * @type {Record<string, [number, number]>}
 */
const PLACES = { nw: [27, 27], w: [27, 50], sw: [27, 73], c: [50, 50], ne: [73, 27], e: [73, 50], se: [73, 73] };
/**
 * The places that show a number.
 * @type {Record<number, string[]>}
 */
const FACES = {
  1: ["c"],
  2: ["nw", "se"],
  3: ["nw", "c", "se"],
  4: ["nw", "ne", "sw", "se"],
  5: ["nw", "ne", "c", "sw", "se"],
  6: ["nw", "w", "sw", "ne", "e", "se"],
};

/** @param {number} pips */
export function die(pips) {
  const pip = (/** @type {[string, [number, number]]} */ [place, [x, y]]) =>
    svg`<circle cx=${x} cy=${y} r="10" class=${FACES[pips]?.includes(place) ? "on" : nothing}></circle>`;
  return html`<svg class="die" viewBox="0 0 100 100" role="img" aria-label=${word("die", { pips })}>
    <rect x="2" y="2" width="96" height="96" rx="20"></rect>${Object.entries(PLACES).map(pip)}</svg>`;
}

/**
 * The dice of a picture with their sum, or, in a robber phase, the hexagon to which the robber moves: its number, or the desert.
 * Nothing before the first roll.
 * @param {Pick<Api.Picture, "dice" | "phase" | "robber_target" | "sum">} picture
 */
export function roll(picture) {
  if (picture.dice === null) return nothing;
  if (picture.phase !== "robber") return html`${picture.dice.map(die)}<strong>${picture.sum}</strong>`;
  const { robber_target: target } = picture;
  return html`${picture.dice.map(die)}<span class="moves-to" aria-hidden="true">→</span>${target === "desert" ? symbol("desert") : html`<strong class="hexagon">${target}</strong>`}`;
}

// What somebody wants done goes to the controller; what was refused is said at the foot of the page until it is put away.

/**
 * @template {string} Name
 * @template {object} Body
 */
export class Actions {
  /** @type {string[]} */
  #refusal = [];

  /**
   * `path` is the address before the action's name; `onDone()` after each that was done.
   * @param {string} path
   * @param {() => void} onDone
   */
  constructor(path, onDone = () => {}) {
    this.path = path;
    this.onDone = onDone;
  }

  /**
   * Resolves with whether it was done.
   * @param {Name} name
   * @param {Body | {}} body
   */
  async do(name, body = {}) {
    const { status, reasons: sentences } = await postJson(`${this.path}/${name}`, body, { unanswered: word("action_failed") });
    const done = status === "accepted";
    this.#refusal = done ? [] : sentences;
    redraw();
    if (done) this.onDone();
    return done;
  }

  draw() {
    return html`<div class="answer" data-is="answer" role="alert" ?hidden=${this.#refusal.length === 0}>
      ${reasons(this.#refusal)}<button type="button" class="plain" aria-label=${word("close")} @click=${() => (this.#refusal = [])}>×</button>
    </div>`;
  }
}

/** @type {WeakSet<EventTarget>} */
const busy = new WeakSet();

/**
 * Does this on a click, and not twice at a time; what it has come to is on the page then.
 * @param {() => Promise<unknown>} act
 */
export function once(act) {
  return async (/** @type {Event} */ { currentTarget: button }) => {
    if (!(button instanceof HTMLElement) || busy.has(button)) return;
    busy.add(button);
    button.ariaBusy = "true";
    await act();
    button.ariaBusy = null;
    busy.delete(button);
    redraw();
  };
}

// What heads of pages share: the language, kept on this device for a year, which the server reads before it answers; dark or light.

const YEAR_S = 365 * 24 * 60 * 60;

/** The languages that the server offers; one that nobody has proofread ends in a question mark. */
const offers = () => /** @type {HTMLMetaElement | null} */ (document.querySelector("[name=languages]"))?.content.split(" ") ?? [];

/**
 * What a language calls itself; one that nobody has proofread is marked.
 * @param {string} language
 */
export function ownName(language) {
  const name = new Intl.DisplayNames([language], { type: "language" }).of(language) ?? language;
  const own = name.charAt(0).toLocaleUpperCase(language) + name.slice(1);
  return offers().includes(`${language}?`) ? word("language_unproofed", { language: own }) : own;
}

/**
 * Keeps the choice and asks for the page anew; `?lang=` would go before it.
 * @param {Event} event
 */
function choose({ currentTarget }) {
  const { value } = /** @type {HTMLSelectElement} */ (currentTarget);
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing on plain HTTP
  document.cookie = `language=${value}; path=/; max-age=${YEAR_S}; samesite=lax`;
  const address = new URL(location.href);
  address.searchParams.delete("lang");
  history.replaceState(null, "", address);
  location.reload();
}

/** The menu for the head of a page. */
export function languageMenu() {
  const spoken = spokenLanguage();
  const all = offers().map((tag) => tag.replace("?", ""));
  const offered = all.includes(spoken) ? all : [spoken, ...all];
  return html`<span class="language-box" data-tag=${spoken.toUpperCase()}><select class="language" data-is="language" aria-label=${word("language")} @change=${choose}>${offered.map((language) => html`<option value=${language} lang=${language} .selected=${language === spoken}>${ownName(language)}</option>`)}</select></span>`;
}

/** The warning of the staff's pages where others in the network could read along; on the machine itself nothing. */
export function transportWarning() {
  const { protocol, hostname } = location;
  if (protocol === "https:" || hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.")) return nothing;
  return html`<span class="unencrypted" data-is="unencrypted" role="note" title=${word("unencrypted_help")}>${word("unencrypted")}</span>`;
}

/** What `theme.js` looks for: the button that changes between dark and light. */
export const themeButton = () => html`<button class="plain" data-is="theme" aria-label=${word("theme")}>◐</button>`;

// Mute, softer for whoever speaks, and the test of each loudspeaker; nothing where no sound is set up.

const MINUTES = [5, 15];
const MS_PER_MIN = 60_000;

/** @param {string} state @param {unknown} content */
const soundFrame = (state, content) => html`<section class="card" data-is="sound-card"><h2>${word("sound_title")}</h2><p data-is="sound-state">${state}</p>${content}</section>`;

/**
 * `tests`: with the loudspeakers' tests, for whoever fits them; `frame` draws what stands around it.
 * @param {Feed} feed
 * @param {{ tests: boolean, frame?: (state: string, content: unknown) => unknown }} options
 */
export function soundCard(feed, { tests, frame = soundFrame }) {
  /** @type {Actions<"mute" | "release" | "duck" | "unduck" | "test", { minutes?: number, loudspeaker?: "left" | "right" | "both" }>} */
  const actions = new Actions("/api/sound");
  const button = (/** @type {string} */ text, /** @type {() => Promise<unknown>} */ act) => html`<button type="button" @click=${once(act)}>${text}</button>`;

  /** @param {Api.MuteView} muted */
  function state(muted) {
    const until = muted.until_ms;
    const now = feed.coreNow();
    if (until === null || now === null) return word("sound_muted");
    return word("sound_muted_for", { minutes: Math.max(1, Math.ceil((until - now) / MS_PER_MIN)) });
  }

  const testRow = () => html`<div class="row">
    ${button(word("sound_test_left"), () => actions.do("test", { loudspeaker: "left" }))}
    ${button(word("sound_test_right"), () => actions.do("test", { loudspeaker: "right" }))}
    ${button(word("sound_test_both"), () => actions.do("test", { loudspeaker: "both" }))}
  </div>`;

  return () => {
    const sound = feed.picture?.sound ?? null;
    if (sound === null) return nothing;
    const { muted, ducked } = sound;
    return frame(muted === null ? word(ducked ? "sound_softer" : "sound_heard") : state(muted), html`<div class="row">${
        muted === null
          ? MINUTES.map((minutes) => button(word("sound_mute_for", { minutes }), () => actions.do("mute", { minutes })))
          : button(word("sound_release"), () => actions.do("release"))
      }<button type="button" data-is="sound-duck" aria-pressed=${ducked} @click=${once(() => actions.do(ducked ? "unduck" : "duck"))}>${word(ducked ? "sound_unduck" : "sound_duck")}</button></div>
      ${tests ? testRow() : nothing}
      ${actions.draw()}`);
  };
}
