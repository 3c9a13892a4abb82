// The frame of the director's page: its modes and panels in the history, its keys, its folds and drawers, its questions.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { keyFor, part, redraw } from "../lib/dom.js";
import { word } from "../lib/words.js";

/** @import { WordKey } from "../lib/words.js" */

// Where the page is stands in its address: Show for what happens during play, with the panel of one claim as a step of the history,
// so that Back closes it; Setup for all that is prepared.

/** @typedef {"show" | "setup"} Mode */

const MODES = /** @type {const} */ (["show", "setup"]);
const PANEL = "#claim/";
/** The panel in which a claim is entered by hand; any other is that of the claim with this id. */
export const NEW_CLAIM = "new";

/** @returns {Mode} */
export const modeNow = () => (location.hash === "#setup" ? "setup" : "show");

/** The panel that is open, or null. */
export const panelNow = () => (location.hash.startsWith(PANEL) ? decodeURIComponent(location.hash.slice(PANEL.length)) : null);

/** @param {string} name */
export function openPanel(name) {
  if (panelNow() !== name) history.pushState(null, "", PANEL + encodeURIComponent(name));
}

export function closePanel() {
  if (panelNow() !== null) history.replaceState(null, "", "#show");
}

/** @param {() => void} pause what its key does */
export function followMode(pause) {
  addEventListener("popstate", redraw);
  document.addEventListener("keydown", (event) => press(event, pause));
  document.addEventListener("keyup", (event) => {
    if (event.key === " " && keyFor("pause") === " " && !isTyping(event.target)) event.preventDefault(); // a button with the focus is not pressed by it
  });
}

/** The ways from one mode to the other. */
export const modeTabs = () => html`<nav class="modes" aria-label=${word("modes")}>${MODES.map((mode) =>
  html`<a href="#${mode}" data-is="mode-${mode}" aria-current=${modeNow() === mode ? "page" : "false"}>${word(`mode_${mode}`)}</a>`)}</nav>`;

// Keys only show something or move the focus; none but that of the pause gives a command. Each can be chosen or switched off, in this browser.

/** @typedef {"pause" | "show" | "setup" | "claim" | "message" | "undo" | "theme"} KeyName */

/** @type {[KeyName, WordKey][]} */
const KEYS = [["pause", "key_pauses"], ["show", "key_show"], ["setup", "key_setup"], ["claim", "key_claim"], ["message", "key_message"], ["undo", "key_undo"], ["theme", "key_theme"]];
/** @type {KeyName | null} */
let choosing = null;

/** @param {string} key */
const keyText = (key) => (key === " " ? word("key_space_short") : key === "" ? word("key_off") : key.toUpperCase());

/**
 * Another one that had this key has none any more.
 * @param {KeyName} name
 * @param {string} key
 */
function setKey(name, key) {
  for (const [other] of KEYS) if (key !== "" && other !== name && keyFor(other) === key) localStorage.setItem(`key-${other}`, "");
  localStorage.setItem(`key-${name}`, key);
  choosing = null;
  redraw();
}

export const keysCard = () => html`<section class="card" data-is="keys-card"><h2>${word("keys_title")}</h2><p class="hint">${word("keys_help")}</p>
  <ul class="keys">${KEYS.map(([name, what]) => html`<li>
    <button type="button" data-is="key-${name}" aria-pressed=${choosing === name} @click=${() => (choosing = choosing === name ? null : name)}>${choosing === name ? word("key_press") : keyText(keyFor(name))}</button>
    <span>${word(what)}</span>
    <button type="button" class="plain" aria-label=${word("key_switch_off", { what: word(what) })} ?disabled=${keyFor(name) === ""} @click=${() => setKey(name, "")}>×</button></li>`)}</ul></section>`;

/** @param {EventTarget | null} target */
const isTyping = (target) => target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement;

/**
 * @param {KeyboardEvent} event
 * @param {() => void} pause
 */
function press(event, pause) {
  const { target, key, ctrlKey, metaKey, altKey } = event;
  if (ctrlKey || metaKey || altKey || isTyping(target)) return;
  if (choosing !== null && key.length === 1) {
    event.preventDefault();
    event.stopImmediatePropagation();
    return setKey(choosing, key.toLowerCase());
  }
  if (key.toLowerCase() === keyFor("pause")) {
    event.preventDefault();
    return event.repeat ? undefined : pause();
  }
  if (target instanceof HTMLSelectElement) return;
  /** @type {[KeyName, { mode: Mode, fold?: Fold, find?: () => Element | null }][]} */
  const deeds = [
    ["show", { mode: "show" }],
    ["setup", { mode: "setup" }],
    ["claim", { mode: "show", find: () => document.querySelector(".claims .claim.open button:not(:disabled)") ?? document.querySelector('[data-is="enter-claim"]') }],
    ["message", { mode: "show", fold: "message", find: () => part("say-text") }],
    ["undo", { mode: "show", find: () => document.querySelector('[data-is="undo"]') }],
  ];
  const deed = deeds.find(([name]) => keyFor(name) === key.toLowerCase())?.[1];
  if (deed === undefined) return;
  event.preventDefault();
  location.hash = deed.mode;
  if (deed.fold !== undefined) unfold(deed.fold);
  redraw();
  focusOn(deed.find?.() ?? null);
}

/** @param {Element | null} found */
function focusOn(found) {
  const around = found?.closest("[popover]");
  if (around instanceof HTMLElement && !around.checkVisibility()) around.showPopover();
  if (found instanceof HTMLElement) found.focus({ preventScroll: true });
}

// The rail: what is needed now and then, one part open at a time, which this browser remembers. A small window shows it only when it is asked for.

/** @typedef {"message" | "timer" | "end" | "screens" | "log" | "sound"} Fold */

const OPEN = "rail";

/** @param {Fold | ""} name */
const unfold = (name) => localStorage.setItem(OPEN, name);

/**
 * @param {Fold} name
 * @param {string} title
 * @param {unknown} state what can be seen without opening it
 * @param {unknown} content
 * @param {unknown} near what stands there without opening it
 */
export function fold(name, title, state, content, near = nothing) {
  const open = (localStorage.getItem(OPEN) ?? "message") === name;
  return html`<section class="card fold">
    <h2><button type="button" class="plain fold-head" data-is="open-${name}" aria-expanded=${open} @click=${() => unfold(open ? "" : name)}><span>${title}</span><span class="fold-state">${state}</span></button></h2>
    ${near === nothing ? nothing : html`<div class="fold-near">${near}</div>`}
    <div class="fold-body" data-is="fold-${name}" ?hidden=${!open}>${content}</div>
  </section>`;
}

/** @typedef {"replace" | "more" | "status"} Drawer */

/** @param {Drawer} name */
const idOf = (name) => `drawer-${name}`;

/**
 * What lies over the page when it is asked for.
 * @param {Drawer} name
 * @param {string} title
 * @param {unknown} content
 */
export function drawer(name, title, content) {
  return html`<section class="card drawer ${name}" id=${idOf(name)} popover data-is=${idOf(name)}>
    <header class="drawer-top"><h2>${title}</h2><button type="button" class="plain drawer-close" popovertarget=${idOf(name)} popovertargetaction="hide" aria-label=${word("close")}>×</button></header>
    ${content}
  </section>`;
}

/**
 * @param {Drawer} name
 * @param {unknown} content
 */
export const opener = (name, content) => html`<button type="button" class="opener opens-${name}" data-is="open-${name}" popovertarget=${idOf(name)}>${content}</button>`;

/** @param {Drawer} name */
export function closeDrawer(name) {
  document.getElementById(idOf(name))?.hidePopover();
}

// For a moment after what stands at a place has changed, nothing that stands there now acts: the second of two touches never does what the
// first one has brought there.

const DEAF_MS = 600;

export class Steady {
  #label = "";
  #deafUntil = -Infinity; // on the clock of performance.now()

  /**
   * What stands there now; "" where it is not known yet.
   * @param {string} label
   */
  follow(label) {
    if (label === this.#label) return;
    if (this.#label !== "") {
      this.#deafUntil = performance.now() + DEAF_MS;
      setTimeout(redraw, DEAF_MS);
    }
    this.#label = label;
  }

  get deaf() {
    return performance.now() < this.#deafUntil;
  }
}

// A question before what cannot be taken back lightly, in another place than the button that asks it; it closes again by itself.

const SURE_FOR_MS = 15_000;

/** @typedef {"end" | "close" | "arm" | "take-over"} Asked */

export class Asking {
  /** @type {Asked | null} */
  what = null;
  /** @type {number | undefined} */
  #unasked;

  /**
   * From now on this is asked; null: nothing.
   * @param {Asked | null} what
   */
  ask(what) {
    this.what = what;
    closeDrawer("more"); // it would lie over the question
    redraw();
    clearTimeout(this.#unasked);
    if (what === null) return;
    /** @type {HTMLElement | null} */ (document.querySelector(`[data-is="${what}-cancel"]`))?.focus();
    this.#unasked = setTimeout(() => this.ask(null), SURE_FOR_MS);
  }

  /**
   * The question with its two answers, while it is asked and `possible`.
   * @param {Asked} what
   * @param {{ possible: boolean, question: string, yes: string, act: () => unknown, more?: unknown }} options
   */
  draw(what, { possible, question, yes, act, more = "" }) {
    return html`<div class="sure" data-is="${what}-sure" role="alertdialog" aria-label=${question} ?hidden=${this.what !== what || !possible}>
      <p>${question}</p>
      <button type="button" class="danger" data-is="${what}-now" @click=${() => this.#act(act)}>${yes}</button>${more}
      <button type="button" data-is="${what}-cancel" @click=${() => this.ask(null)}>${word("cancel")}</button>
    </div>`;
  }

  /** @param {() => unknown} act */
  #act(act) {
    this.ask(null);
    act();
  }
}
