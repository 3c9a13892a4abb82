// The claim sheet: counts with − and +, the points they make, the pieces there are. The game counts again itself.

import { make, setText, show } from "../dom.js";
import { word } from "../words.js";

const COUNTS = { settlements: 5, cities: 5, victory_cards: 25 };
const PIECES = ["settlements", "cities"];
const FLAGS = ["foreign_left", "foreign_right", "largest_army", "longest_route"];
const CONTESTED = ["largest_army", "longest_route"];
const RESOURCES = ["grain", "ore", "brick", "lumber", "wool"];
const MOST_RESOURCES = 999;

/** The sheet of a player at the beginning of a game: 4 points. */
export function newSheet() {
  return {
    settlements: 2,
    cities: 1,
    foreign_left: false,
    foreign_right: false,
    victory_cards: 0,
    largest_army: false,
    longest_route: false,
    resources: Object.fromEntries(RESOURCES.map((name) => [name, 0])),
  };
}

/** Points of a sheet: settlement 1, city 2, card 1, and 2 for each foreign direction, army and route. */
export function pointsOf(sheet) {
  const flags = FLAGS.filter((name) => sheet[name]).length;
  return sheet.settlements + 2 * sheet.cities + sheet.victory_cards + 2 * flags;
}

function stepper(name, most, read, write) {
  const fewer = make("button", "", "−");
  const more = make("button", "", "+");
  const value = make("output", "", String(read()));
  const note = make("span", "only-spoken");
  for (const [button, key, step] of [[fewer, "fewer", -1], [more, "more", 1]]) {
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
  function change(step) {
    write(Math.min(most, Math.max(0, read() + step)));
    draw();
  }
  draw();
  return make("div", "stepper", [make("span", "stepper-name", word(name)), fewer, value, more, note]);
}

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

/** Sentences on army or route being held twice at one board, among the sheets that are filled in on this page. */
export function heldTwice(id, drafts) {
  const board = drafts.boards.get(id);
  if (board === null || board === undefined) return [];
  const mine = drafts.sheets.get(id);
  const rivals = [...drafts.sheets].filter(([other]) => other !== id && drafts.boards.get(other) === board);
  const twice = CONTESTED.filter((name) => mine[name] && rivals.some(([, sheet]) => sheet[name]));
  return twice.map((name) => word("heldTwice", { what: word(name) }));
}

/** The form for one claim; its draft is kept in `drafts.sheets`. */
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
    const sentences = heldTwice(claim.id, drafts);
    setText(twice, sentences.join(" "));
    show(twice, sentences.length > 0);
    setText(go, word("sheetSend", { n: total }));
  }

  const writer = (target, name) => (value) => {
    target[name] = value;
    draw();
  };
  const counts = Object.entries(COUNTS).map(([name, most]) => stepper(name, most, () => sheet[name], writer(sheet, name)));
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
