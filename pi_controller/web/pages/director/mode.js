// The page's two modes, kept in its address: Show for what happens during play, Setup for all that is prepared. Keys that only show
// something or move the focus; none but the space key gives a command.

import { html } from "../vendor/lit-html/lit-html.js";
import { part } from "../dom.js";
import { word } from "../words.js";

/** @typedef {"show" | "setup"} Mode */

const MODES = /** @type {const} */ (["show", "setup"]);
const KEYS = /** @type {const} */ ([["Space", "key_pauses"], ["1", "key_show"], ["2", "key_setup"], ["C", "key_claim"], ["M", "key_message"], ["U", "key_undo"], ["T", "key_theme"]]);

/** @returns {Mode} */
export const modeNow = () => (location.hash === "#setup" ? "setup" : "show");

/** @param {Mode} mode */
export function goTo(mode) {
  location.hash = mode;
}

/** @param {() => void} redraw */
export function followMode(redraw) {
  addEventListener("hashchange", redraw);
  document.addEventListener("keydown", (event) => press(event, redraw));
}

/** The ways from one mode to the other. */
export const modeTabs = () => html`<nav class="modes" aria-label=${word("modes")}>${MODES.map((mode) =>
  html`<a href="#${mode}" data-is="mode-${mode}" aria-current=${modeNow() === mode ? "page" : "false"}>${word(`mode_${mode}`)}</a>`)}</nav>`;

export const keysCard = () => html`<section class="card"><h2>${word("keys_title")}</h2>
  <dl class="keys">${KEYS.map(([key, what]) => html`<div><dt><kbd>${key === "Space" ? word("key_space") : key}</kbd></dt><dd>${word(what)}</dd></div>`)}</dl></section>`;

/**
 * @param {KeyboardEvent} event
 * @param {() => void} redraw
 */
function press(event, redraw) {
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
  goTo(deed.mode);
  redraw();
  focusOn(deed.find?.() ?? null);
}

/** @param {Element | null} found */
function focusOn(found) {
  const around = found?.closest("[popover]");
  if (around instanceof HTMLElement && !around.checkVisibility()) around.showPopover();
  if (found instanceof HTMLElement) found.focus({ preventScroll: true });
}
