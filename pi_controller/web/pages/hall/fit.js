// Letters as large as their place has room for, in every language: where texts are too long, the place's unit `--u` becomes
// smaller until all of them fit.

const STEP = 0.95;
const SMALLEST = 0.4; // of the usual size
const SLACK = 1; // pixels, by which browsers round

/** @type {WeakMap<HTMLElement, string>} */
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
  return `${innerWidth} ${innerHeight} ${hidden} ${all - hidden} ${place.textContent.replace(/\d/g, "0")}`;
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
 * Sets the size of everything in this place; nothing is measured while its texts are the same.
 * @param {HTMLElement} place
 */
export function fit(place) {
  if (place.clientWidth === 0) return;
  const shape = shapeOf(place);
  if (fitted.get(place) === shape) return;
  fitted.set(place, shape);
  place.style.removeProperty("--u");
  for (let size = STEP; size > SMALLEST && isCrowded(place); size *= STEP) place.style.setProperty("--u", `calc(var(--unit) * ${size.toFixed(3)})`);
}
