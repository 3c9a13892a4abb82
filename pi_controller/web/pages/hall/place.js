// Where the hall screen stands in its window and how large its letters are; codes for phones, and news of the link to other halls.

import { html, nothing, render } from "../vendor/lit-html/lit-html.js";
import { isReplay } from "./replay.js";
import { make, part, setData, setText } from "../lib/dom.js";
import { jsonInTheEnd } from "../lib/feed.js";
import { linkNews, sceneOf } from "../lib/reading.js";
import { isOld, leaderText, linkTexts } from "../lib/texts.js";
import { told, word } from "../lib/words.js";

// Where the hall screen stands in its window: all of it, a column beside a stage picture, a corner, or over another picture.

const LAYOUTS = ["side", "corner"];
const UPRIGHT = "screen"; // so begins the media query of a phone held upright in hall.css, and no other

function asked() {
  if (location.pathname === "/overlay") return "overlay";
  const layout = new URLSearchParams(location.search).get("layout") ?? "";
  return LAYOUTS.includes(layout) ? layout : "full";
}

/** Once, before anything is drawn. A column has the parts one below the other, as a phone held upright has. */
export function startLayout() {
  const layout = asked();
  document.documentElement.dataset.layout = layout;
  // Around an overlay, for a program or a mixer that cannot see through a page, there is a colour that it keys out.
  if (layout === "overlay") document.documentElement.dataset.ground = new URLSearchParams(location.search).get("ground") === "green" ? "green" : "";
  if (layout !== "side") return;
  for (const rule of [...document.styleSheets].flatMap(({ cssRules }) => [...cssRules])) {
    if (rule instanceof CSSMediaRule && rule.media.mediaText.startsWith(UPRIGHT)) rule.media.mediaText = "all";
  }
}

// Letters as large as their place has room for, in every language: where texts are too long, the place's unit `--u` becomes
// smaller until all of them fit.

const STEP = 0.95;
const STEPS = 18; // the smallest is 0.4 of the usual size
const SLACK = 1; // pixels, by which browsers round
const MOST_SHAPES = 200; // of an evening's texts, digits apart

/** @type {WeakMap<HTMLElement, { now: string, steps: Map<string, number> }>} */
let fitted = new WeakMap();

/** Letters look otherwise now: all is to be measured again. */
export function forgetSizes() {
  fitted = new WeakMap();
}

/**
 * What its layout depends on. Digits are all of one width, so a number that counts changes nothing.
 * @param {HTMLElement} place
 */
function shapeOf(place) {
  const [all, hidden] = [place.querySelectorAll("*").length, place.querySelectorAll("[hidden]").length];
  const around = Object.values(document.body.dataset).join(" "); // what else takes room
  return `${innerWidth} ${innerHeight} ${around} ${hidden} ${all - hidden} ${place.textContent.replace(/\d/g, "0")}`;
}

/**
 * @param {DOMRect} one
 * @param {DOMRect} other
 */
function meet(one, other) {
  const across = Math.min(one.right, other.right) - Math.max(one.left, other.left);
  const upright = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
  return across > SLACK && upright > SLACK;
}

/** @param {Element} element */
const isWide = ({ clientWidth, scrollWidth }) => clientWidth > 0 && scrollWidth > clientWidth + SLACK;

/** @param {HTMLElement} place */
function isCrowded(place) {
  if (isWide(place) || place.scrollHeight > place.clientHeight + SLACK || [...place.querySelectorAll("*")].some(isWide)) return true;
  const box = place.getBoundingClientRect();
  const boxes = [...place.children].map((child) => child.getBoundingClientRect()).filter(({ height }) => height > 0);
  return boxes.some((one, at) => one.top < box.top - SLACK || one.bottom > box.bottom + SLACK || boxes.slice(at + 1).some((other) => meet(one, other)));
}

/**
 * @param {HTMLElement} place
 * @param {number} step
 */
function setStep(place, step) {
  if (step === 0) place.style.removeProperty("--u");
  else place.style.setProperty("--u", `calc(var(--unit) * ${(STEP ** step).toFixed(3)})`);
}

/**
 * The first step at which all has room: the usual size first, which is it most of the time, then by halves.
 * @param {HTMLElement} place
 */
function measured(place) {
  const crowded = (/** @type {number} */ step) => {
    setStep(place, step);
    return isCrowded(place);
  };
  if (!crowded(0)) return 0;
  let [tooLarge, fits] = [0, STEPS];
  while (fits - tooLarge > 1) {
    const middle = (tooLarge + fits) >> 1;
    if (crowded(middle)) tooLarge = middle;
    else fits = middle;
  }
  return fits;
}

/**
 * Sets the size of everything in this place; texts that stood here before are not measured again.
 * @param {HTMLElement} place
 */
export function fit(place) {
  if (place.clientWidth === 0) return;
  const known = fitted.get(place) ?? { now: "", steps: new Map() };
  fitted.set(place, known);
  const shape = shapeOf(place);
  if (known.now === shape) return;
  if (known.steps.size >= MOST_SHAPES) known.steps.clear();
  const step = known.steps.get(shape) ?? measured(place);
  setStep(place, step);
  known.now = shape;
  known.steps.set(shape, step);
}

// How a phone comes in, in a corner of the hall screen: before the start, and small in pauses. The Wi-Fi first, where the settings name one.

const RETRY_MS = 10_000;

/**
 * @param {string} name
 * @param {string} text
 * @param {string} below
 */
const way = (name, text, below) => html`<figure class="join-way"><img src="/join/${name}.svg" alt=""><figcaption><b>${text}</b><span>${below}</span></figcaption></figure>`;

/** Nobody comes into a game that is over; and the Wi-Fi with its password is for those in the hall, not for those who watch a stream. */
export async function showWays() {
  if (isReplay || location.pathname === "/overlay") return;
  const { wifi, address } = await jsonInTheEnd("/api/join", RETRY_MS);
  const phone = way("phone", word(wifi === null ? "join_phone" : "join_phone_second"), address.replace(/^https?:\/\//, "").replace(":", ":\u200b"));
  const place = make("aside", "join");
  render(html`${wifi === null ? nothing : way("wifi", word("join_wifi"), wifi)}${phone}`, place);
  document.body.append(place);
  document.body.dataset.ways = wifi === null ? "1" : "2";
  dispatchEvent(new Event("resize")); // what stands beside them has less room now
}

// How this hall stands to the others of its game: a banner over what is old, and quietly its own name.

/**
 * What is to be done about it is for the staff, whose pages say it.
 * @param {Api.Picture} picture
 */
const troubleOrLeader = ({ link }) => (link?.role === "leader" && leaderText(link)) || told("", link?.trouble);

/**
 * Whether there is no game to show: no leading hall was ever heard, or this one does not lead and has not begun.
 * @param {Api.Picture} picture
 * @param {number} coreNow
 */
export function isUnlinked(picture, coreNow) {
  const news = linkNews(picture, coreNow);
  return news === "none" || (news === "refused" && sceneOf(picture) === "ready");
}

/**
 * What is said then in its place.
 * @param {Api.Picture} picture
 * @param {number} coreNow
 */
export function unlinkedTexts(picture, coreNow) {
  const [title = "", help = ""] = linkTexts(picture, coreNow);
  return [title, troubleOrLeader(picture) || help];
}

/**
 * Returns whether another banner stands now, or none.
 * @param {Api.Picture} picture
 * @param {number} coreNow
 */
export function showLink(picture, coreNow) {
  const news = linkNews(picture, coreNow);
  const [said = "", ...more] = linkTexts(picture, coreNow);
  if (news === "refused") more.push(troubleOrLeader(picture));
  const changed = setData(document.body, "link", news);
  setData(document.body, "old", String(isOld(picture)));
  setText(part("link-said"), said);
  setText(part("link-more"), more.join(" · "));
  return changed;
}
