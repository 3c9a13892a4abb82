// The page itself: its drawn symbols, its theme, who draws it anew, and helpers for the pages that are written by hand (hall screen and log-in). Text always
// goes in as text, never as markup.

/** @import { WordKey } from "./words.js" */

// The drawn symbols that the head of a page names, taken into it once: so each is there at once when it is needed, with or without a server.

const DRAWINGS = 'link[rel="preload"][href$=".svg"]';

/** @param {HTMLLinkElement} link */
async function takeSymbols({ href }) {
  const symbols = new DOMParser().parseFromString(await (await fetch(href)).text(), "image/svg+xml").documentElement;
  symbols.setAttribute("hidden", "");
  document.body.append(document.adoptNode(symbols));
}

await Promise.all(Array.from(/** @type {NodeListOf<HTMLLinkElement>} */ (document.querySelectorAll(DRAWINGS)), takeSymbols));

// Small helpers for the pages that are written by hand: hall screen and log-in. Text always goes in as text, never as markup.

/** @type {Map<string, Element>} */
const parts = new Map();

/**
 * The one element of the page with this `data-is` name; a page without it is a mistake of ours.
 * @template {keyof Parts} Name
 * @param {Name} name
 * @returns {Parts[Name]}
 */
export function part(name) {
  const known = parts.get(name);
  const found = known?.isConnected ? known : document.querySelector(`[data-is="${name}"]`);
  if (found === null) throw new Error(`the page has no part ${name}`);
  parts.set(name, found);
  return /** @type {Parts[Name]} */ (found);
}

/**
 * New element: make("p", "class names", "text" or [children]).
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {string | (Node | string)[]} content
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function make(tag, className = "", content = "") {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (typeof content === "string") element.textContent = content;
  else element.append(...content);
  return element;
}

/**
 * Sets a text only when it differs, so that a frame without change costs nothing.
 * @param {Element} element
 * @param {string} text
 */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * Sets a data attribute only when it differs; returns whether it did.
 * @param {HTMLElement} element
 * @param {string} name
 * @param {string} value
 */
export function setData(element, name, value) {
  const differs = element.dataset[name] !== value;
  if (differs) element.dataset[name] = value;
  return differs;
}

/**
 * Lets an element's animation start anew: of two that are the same, for `data-turn` `once` and `again`, each takes the other's
 * place, without the whole page being laid out in between.
 * @param {HTMLElement} element
 */
export function startAnew(element) {
  element.dataset.turn = element.dataset.turn === "again" ? "once" : "again";
}

/**
 * Shows or hides; hidden parts are not read out either.
 * @param {HTMLElement} element
 * @param {boolean} visible
 */
export function show(element, visible) {
  if (element.hidden === visible) element.hidden = !visible;
}

/** @param {string} selector */
const places = (selector) => /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(selector));

/**
 * Fills every `data-word` and `data-label` place of the page, at first and whenever another language is spoken.
 * @param {(key: WordKey) => string} word
 */
export function sayWords(word) {
  const said = (/** @type {string | undefined} */ key) => word(/** @type {WordKey} */ (key));
  for (const place of places("[data-word]")) setText(place, said(place.dataset.word));
  for (const place of places("[data-label]")) place.setAttribute("aria-label", said(place.dataset.label));
}

// The page is drawn anew with each touch of it, so that what a card remembers need not say that it has changed. Whatever comes by itself, such as
// an answer, says so by `redraw`; so does who looks at the page at once, for what the touch has brought up.

const TOUCHES = ["click", "input", "submit"]; // not `change`, of which a field tells that goes while it is drawn
let draw = () => {};

/**
 * Draws the page in its theme, and from now on with each touch.
 * @param {() => void} drawPage
 */
export function drawBy(drawPage) {
  draw = drawPage;
  startTheme();
  for (const touch of TOUCHES) document.addEventListener(touch, redraw);
  document.addEventListener("submit", (event) => event.preventDefault()); // a form is read by its page
  redraw();
}

export function redraw() {
  draw();
}

/**
 * Draws the page when this has been done.
 * @param {unknown} done
 */
export async function redrawAfter(done) {
  await done;
  redraw();
}

// Dark hall or bright projector: `?theme=light`, the button, or the key T. The choice is remembered on this screen.

const KEY = "theme";

function stored() {
  const asked = new URLSearchParams(location.search).get("theme");
  return (asked ?? localStorage.getItem(KEY)) === "light" ? "light" : "dark";
}

function toggle() {
  const theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  localStorage.setItem(KEY, theme);
  document.documentElement.dataset.theme = theme;
}

/**
 * Puts it in or takes it out.
 * @template Item
 * @param {Set<Item>} set
 * @param {Item} item
 */
export const toggleIn = (set, item) => set.delete(item) || set.add(item);

/**
 * @param {EventTarget | null} target
 * @param {string} selector
 */
const isIn = (target, selector) => target instanceof Element && target.closest(selector) !== null;

/** Keys of the pages, where no other one was chosen in this browser. */
const USUAL_KEYS = { pause: " ", show: "1", setup: "2", claim: "c", message: "m", undo: "u", theme: "t" };

/**
 * The key, in lower case, that does this in this browser; "" where it was switched off.
 * @param {keyof typeof USUAL_KEYS} name
 */
export const keyFor = (name) => localStorage.getItem(`key-${name}`) ?? USUAL_KEYS[name];

/** Sets the theme and lets the page's theme button change it. */
export function startTheme() {
  document.documentElement.dataset.theme = stored();
  document.addEventListener("click", (event) => isIn(event.target, '[data-is="theme"]') && toggle());
  document.addEventListener("keydown", (event) => {
    const typing = isIn(event.target, "input, textarea, select");
    if (event.key.toLowerCase() === keyFor("theme") && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) toggle();
  });
}
