// All virtual tables, segment by segment. Only those that can be seen are drawn, so 256 cost little more than a few.

import { make, part, setText, show } from "../dom.js";
import { OpenFeed } from "../open_feed.js";
import { word } from "../words.js";
import { Hands } from "./hands.js";
import { segmentHead } from "./segment_head.js";
import { tableDetail } from "./table_detail.js";
import { TableView, tableName } from "./table_view.js";

/** @typedef {{ all: boolean, tables: Sim.TablePicture[], sentence?: string | null }} News */

const MANY = 64; // from so many on the tables begin small
const NEAR = "200px"; // drawn a little before they are seen
/** @type {Record<string, number>} */
const STEPS = { ArrowLeft: -1, ArrowRight: 1 };

/** One table on the page: its picture, and a name that opens it enlarged. */
class Card {
  /**
   * @param {Sim.TablePicture} table
   * @param {Hands} hands
   * @param {(table: Sim.TablePicture) => void} onOpen
   */
  constructor(table, hands, onOpen) {
    this.table = table;
    this.dirty = true;
    this.seen = false;
    const name = make("button", "vt-name", tableName(table));
    name.type = "button";
    name.setAttribute("aria-label", word("vtOpen", { table: tableName(table) }));
    name.addEventListener("click", () => onOpen(this.table));
    this.view = new TableView(table, hands, name);
    this.element = make("li", "vt-card", [this.view.element]);
    this.controls = [...this.element.querySelectorAll("button")];
    this.reach(false);
  }

  /**
   * Whether the Tab key stops here; only at one table, the arrow keys lead to the others.
   * @param {boolean} reachable
   */
  reach(reachable) {
    for (const control of this.controls) control.tabIndex = reachable ? 0 : -1;
  }

  /** @param {Sim.TablePicture} table */
  take(table) {
    this.table = table;
    this.dirty = true;
  }

  draw() {
    this.dirty = false;
    this.view.draw(this.table);
  }
}

export class VirtualTables {
  /** @type {Map<string, Sim.TablePicture>} */
  #tables = new Map(); // by uid, as they came last
  /** @type {Map<string, Card>} */
  #cards = new Map();
  /** @type {Map<string, ReturnType<typeof segmentHead>>} */
  #segments = new Map();
  /** @type {WeakMap<Element, Card>} */
  #byElement = new WeakMap();
  /** @type {Card | null} */
  #reachable = null;
  #sized = false;

  constructor() {
    this.hands = new Hands((problem) => setText(part("vt-mistake"), problem), "/api/sim/tables");
    this.detail = tableDetail(this.hands);
    this.observer = new IntersectionObserver((entries) => this.#seen(entries), { rootMargin: NEAR });
    const list = part("vt-segments");
    list.addEventListener("focusin", (event) => this.#focused(event.target));
    list.addEventListener("keydown", (event) => this.#key(event));
    part("vt-size").addEventListener("click", () => this.#setSmall(part("vt-segments").dataset.size !== "small"));
    this.#setSmall(false);
    new OpenFeed({
      path: "/api/sim/tables",
      onMessage: (message) => this.#take(message),
      onOpen: (open) => show(part("vt-lost"), !open),
    }).open();
  }

  /** Draws what has changed and can be seen; to be called for each frame. */
  draw() {
    for (const card of this.#cards.values()) if (card.seen && card.dirty) card.draw();
  }

  /** @param {News} news */
  #take({ all, tables, sentence }) {
    if (all) this.#keepOnly(new Set(tables.map(({ uid }) => uid)));
    for (const table of tables) this.#takeTable(table);
    setText(part("vt-empty"), sentence ?? "");
    show(part("vt-size"), this.#cards.size > 0);
    this.detail.take(this.#tables);
    this.#takeSegments();
    if (!this.#sized && this.#cards.size > 0) this.#setSmall(this.#cards.size >= MANY);
    if (this.#cards.size > 0) this.#sized = true;
  }

  /** @param {Set<string>} uids */
  #keepOnly(uids) {
    for (const [uid, card] of this.#cards) {
      if (uids.has(uid)) continue;
      this.observer.unobserve(card.element);
      card.element.remove();
      this.#cards.delete(uid);
      this.#tables.delete(uid);
      if (this.#reachable === card) this.#reachable = null;
    }
  }

  /** @param {Sim.TablePicture} table */
  #takeTable(table) {
    this.#tables.set(table.uid, table);
    const card = this.#cards.get(table.uid);
    if (card !== undefined) return card.take(table);
    this.#add(table);
  }

  /** @param {Sim.TablePicture} table */
  #add(table) {
    const card = new Card(table, this.hands, (newest) => this.detail.open(newest));
    this.#cards.set(table.uid, card);
    this.#byElement.set(card.element, card);
    this.#segment(table.segment).list.append(card.element);
    this.observer.observe(card.element);
    if (this.#reachable === null) this.#reachAt(card);
  }

  /** @param {string} name */
  #segment(name) {
    const known = this.#segments.get(name);
    if (known !== undefined) return known;
    const segment = segmentHead(name, this.hands);
    this.#segments.set(name, segment);
    part("vt-segments").append(segment.element);
    return segment;
  }

  #takeSegments() {
    const present = Map.groupBy(this.#tables.values(), ({ segment }) => segment);
    for (const [name, segment] of this.#segments) {
      segment.take(present.get(name) ?? []);
      if (present.has(name)) continue;
      segment.element.remove();
      this.#segments.delete(name);
    }
  }

  /** @param {IntersectionObserverEntry[]} entries */
  #seen(entries) {
    for (const { target, isIntersecting } of entries) {
      const card = this.#byElement.get(target);
      if (card !== undefined) card.seen = isIntersecting;
    }
  }

  /** @param {boolean} small */
  #setSmall(small) {
    part("vt-segments").dataset.size = small ? "small" : "large";
    setText(part("vt-size"), word(small ? "vtLarge" : "vtSmall"));
  }

  /** @param {EventTarget | null} target */
  #focused(target) {
    const card = this.#cardAt(target);
    if (card !== undefined) this.#reachAt(card);
  }

  /** @param {EventTarget | null} target */
  #cardAt(target) {
    const element = target instanceof Element ? target.closest(".vt-card") : null;
    return element === null ? undefined : this.#byElement.get(element);
  }

  /** @param {Card} card */
  #reachAt(card) {
    this.#reachable?.reach(false);
    this.#reachable = card;
    card.reach(true);
  }

  /**
   * The arrow keys lead to the same control of the table before or behind.
   * @param {KeyboardEvent} event
   */
  #key(event) {
    const here = this.#cardAt(event.target);
    const step = STEPS[event.key];
    if (here === undefined || step === undefined) return;
    const all = [...this.#cards.values()];
    const to = all[all.indexOf(here) + step];
    if (to === undefined) return;
    event.preventDefault();
    if (event.target instanceof HTMLButtonElement) to.controls[here.controls.indexOf(event.target)]?.focus();
  }
}
