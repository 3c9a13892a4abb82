// The claim sheet: counts with − and +, the points they make, the pieces there are. The game counts again itself.

import { make, setText, show } from "../dom.js";
import { word } from "../words.js";
import { FLAGS, RESOURCES, heldByBoth, newSheet, pointsOf } from "./count.js";

/**
 * @import { Tools } from "./controls.js"
 * @import { Drafts, Flag, Resource } from "./count.js"
 */

const COUNTS = /** @type {const} */ ([["settlements", 5], ["cities", 5], ["victory_cards", 25]]);
/** @type {readonly string[]} */
const PIECES = ["settlements", "cities"];
const MOST_RESOURCES = 999;

/**
 * @param {(typeof COUNTS)[number][0] | Resource} name
 * @param {number} most
 * @param {() => number} read
 * @param {(value: number) => void} write
 */
function stepper(name, most, read, write) {
  const fewer = make("button", "", "−");
  const more = make("button", "", "+");
  const value = make("output", "", String(read()));
  const note = make("span", "only-spoken");
  /** @type {[HTMLButtonElement, "fewer" | "more", number][]} */
  const keys = [[fewer, "fewer", -1], [more, "more", 1]];
  for (const [button, key, step] of keys) {
    button.type = "button";
    button.setAttribute("aria-label", word(key, { what: word(name) }));
    button.addEventListener("click", () => change(step));
  }
  function draw() {
    setText(value, String(read()));
    fewer.disabled = read() <= 0;
    more.disabled = read() >= most;
    const full = PIECES.includes(name) && read() >= most;
    more.title = full ? word("tooMany", { what: word(name) }) : "";
    setText(note, more.title);
  }
  /** @param {number} step */
  function change(step) {
    write(Math.min(most, Math.max(0, read() + step)));
    draw();
  }
  draw();
  return make("div", "stepper", [make("span", "stepper-name", word(name)), fewer, value, more, note]);
}

/**
 * @param {Flag} name
 * @param {() => boolean} read
 * @param {(value: boolean) => void} write
 */
function flag(name, read, write) {
  const button = make("button", "toggle", word(name));
  button.type = "button";
  button.setAttribute("aria-pressed", String(read()));
  button.addEventListener("click", () => {
    write(!read());
    button.setAttribute("aria-pressed", String(read()));
  });
  return button;
}

/**
 * The form for one claim; its draft is kept in `drafts.sheets`.
 * @param {Api.ClaimView} claim
 * @param {number} targetPoints
 * @param {Tools} tools
 * @param {Drafts} drafts
 */
export function sheetForm(claim, targetPoints, { send, controls }, drafts) {
  const sheet = drafts.sheets.get(claim.id) ?? newSheet();
  drafts.sheets.set(claim.id, sheet);
  const points = make("p", "sheet-points");
  const pieces = make("p", "hint");
  const twice = make("p", "mistake");
  twice.setAttribute("role", "alert");
  const go = make("button", "go");

  function draw() {
    const total = pointsOf(sheet);
    points.dataset.enough = String(total >= targetPoints);
    points.replaceChildren(make("strong", "", word("points", { n: total })), ` ${word("ofTarget", { target: targetPoints })}`);
    setText(pieces, word("pieces", sheet));
    const sentences = heldByBoth(claim.id, drafts).map((name) => word("heldTwice", { what: word(name) }));
    setText(twice, sentences.join(" "));
    show(twice, sentences.length > 0);
    setText(go, word("sheetSend", { n: total }));
  }

  /**
   * @template {object} Target
   * @template {keyof Target} Name
   * @param {Target} target
   * @param {Name} name
   */
  const writer = (target, name) => (/** @type {Target[Name]} */ value) => {
    target[name] = value;
    draw();
  };
  const counts = COUNTS.map(([name, most]) => stepper(name, most, () => sheet[name], writer(sheet, name)));
  const flags = FLAGS.map((name) => flag(name, () => sheet[name], writer(sheet, name)));
  const hand = sheet.resources;
  const cards = RESOURCES.map((name) => stepper(name, MOST_RESOURCES, () => hand[name], writer(hand, name)));
  const element = make("div", "sheet", [
    make("div", "steppers", counts),
    make("div", "flags", flags),
    pieces,
    make("h3", "", word("resourcesTitle")),
    make("div", "steppers small", cards),
    twice,
    make("div", "sheet-foot", [points, go]),
  ]);
  controls.bind(go, "verdict", () => send("verdict", { claim: claim.id, sheet }));
  draw();
  return { element };
}
