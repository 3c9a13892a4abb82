// The frame of the director's page: its two modes and keys, its drawers, its questions.

import { html } from "../vendor/lit-html/lit-html.js";
import { part, redraw } from "../lib/dom.js";
import { word } from "../lib/words.js";

/** @import { Desk } from "../lib/desk.js" */

// The page's two modes, kept in its address: Show for what happens during play, Setup for all that is prepared. Keys that only show
// something or move the focus; none but the space key gives a command.

/** @typedef {"show" | "setup"} Mode */

const MODES = /** @type {const} */ (["show", "setup"]);
const KEYS = /** @type {const} */ ([["Space", "key_pauses"], ["1", "key_show"], ["2", "key_setup"], ["C", "key_claim"], ["M", "key_message"], ["U", "key_undo"], ["T", "key_theme"]]);

/** @returns {Mode} */
export const modeNow = () => (location.hash === "#setup" ? "setup" : "show");

export function followMode() {
  addEventListener("hashchange", redraw);
  document.addEventListener("keydown", press);
}

/** The ways from one mode to the other. */
export const modeTabs = () => html`<nav class="modes" aria-label=${word("modes")}>${MODES.map((mode) =>
  html`<a href="#${mode}" data-is="mode-${mode}" aria-current=${modeNow() === mode ? "page" : "false"}>${word(`mode_${mode}`)}</a>`)}</nav>`;

export const keysCard = () => html`<section class="card"><h2>${word("keys_title")}</h2>
  <dl class="keys">${KEYS.map(([key, what]) => html`<div><dt><kbd>${key === "Space" ? word("key_space") : key}</kbd></dt><dd>${word(what)}</dd></div>`)}</dl></section>`;

/** @param {KeyboardEvent} event */
function press(event) {
  const { target, key, ctrlKey, metaKey, altKey } = event;
  if (ctrlKey || metaKey || altKey || (target instanceof Element && target.closest("input, textarea, select") !== null)) return;
  /** @type {Record<string, { mode: Mode, find?: () => Element | null }>} */
  const deeds = {
    1: { mode: "show" },
    2: { mode: "setup" },
    c: { mode: "show", find: () => document.querySelector(".claims .claim.open button:not(:disabled)") ?? document.querySelector(".claims-card summary") },
    m: { mode: "show", find: () => part("say-text") },
    u: { mode: "show", find: () => document.querySelector('[data-is="undo"]') },
  };
  const deed = deeds[key.toLowerCase()];
  if (deed === undefined) return;
  event.preventDefault();
  location.hash = deed.mode;
  redraw();
  focusOn(deed.find?.() ?? null);
}

/** @param {Element | null} found */
function focusOn(found) {
  const around = found?.closest("[popover]");
  if (around instanceof HTMLElement && !around.checkVisibility()) around.showPopover();
  if (found instanceof HTMLElement) found.focus({ preventScroll: true });
}

// Parts of the page that a small window shows only when they are asked for, over the others; a wide one shows most of them at their place.

/** @typedef {"replace" | "message" | "timer" | "end" | "log"} Drawer */

/** @param {Drawer} name */
const idOf = (name) => `drawer-${name}`;

/**
 * @param {Drawer} name
 * @param {string} title
 * @param {unknown} content
 */
export function drawer(name, title, content) {
  return html`<section class="card drawer" id=${idOf(name)} popover data-is=${idOf(name)}>
    <header class="drawer-top"><h2>${title}</h2><button type="button" class="plain drawer-close" popovertarget=${idOf(name)} popovertargetaction="hide" aria-label=${word("close")}>×</button></header>
    ${content}
  </section>`;
}

/**
 * @param {Drawer} name
 * @param {string} text
 */
export const opener = (name, text) => html`<button type="button" class="opener opens-${name}" data-is="open-${name}" popovertarget=${idOf(name)}>${text}</button>`;

/** @param {Drawer} name */
export function closeDrawer(name) {
  document.getElementById(idOf(name))?.hidePopover();
}

// A question before what cannot be taken back lightly; it closes again by itself.

const SURE_FOR_MS = 15_000;

/** @template {"end" | "close" | "arm"} What */
export class Asking {
  /** @type {What | null} */
  what = null;
  /** @type {number | undefined} */
  #unasked;

  /** @param {Desk} desk */
  constructor(desk) {
    this.desk = desk;
  }

  /**
   * From now on this is asked; null: nothing.
   * @param {What | null} what
   */
  ask(what) {
    this.what = what;
    redraw();
    clearTimeout(this.#unasked);
    if (what === null) return;
    /** @type {HTMLElement | null} */ (document.querySelector(`[data-is="${what}-cancel"]`))?.focus();
    this.#unasked = setTimeout(() => this.ask(null), SURE_FOR_MS);
  }

  /**
   * The question with its two answers, hidden unless it is asked now and `possible`.
   * @param {What} what
   * @param {{ possible: boolean, question: string, yes: string, act: () => unknown }} options
   */
  draw(what, { possible, question, yes, act }) {
    return html`<div class="sure" data-is="${what}-sure" ?hidden=${this.what !== what || !possible}>
      <p>${question}</p>
      ${this.desk.button(what, yes, () => this.#act(act), { is: `${what}-now`, look: "danger" })}
      <button type="button" data-is="${what}-cancel" @click=${() => this.ask(null)}>${word("cancel")}</button>
    </div>`;
  }

  /** @param {() => unknown} act */
  #act(act) {
    this.ask(null);
    act();
  }
}
