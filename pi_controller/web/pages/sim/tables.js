// All virtual tables, segment by segment. Only those that can be seen are painted, so 256 cost little more than a few.

import { html, render } from "../vendor/lit-html/lit-html.js";
import { repeat } from "../vendor/lit-html/directives/repeat.js";
import { OpenFeed } from "../open_feed.js";
import { told, word } from "../words.js";
import { Hands } from "./hands.js";
import { tableDetail } from "./table_detail.js";
import { paint, tableName, tableView } from "./table_view.js";

/** @import { Said } from "../filling.js" */
/** @typedef {{ all: boolean, tables: Sim.TablePicture[], sentence?: string | null, sentence_key?: Said | null }} News */

const MANY = 64; // from so many on the tables begin small
const NEAR = "200px"; // painted a little before they are seen
/** @type {Record<string, number>} */
const STEPS = { ArrowLeft: -1, ArrowRight: 1 };
const LOSSES = [0, 0.05, 0.1, 0.2, 0.5, 1];

/** One table on the page: its picture, and a name that opens it enlarged. It is drawn by itself, when it can be seen. */
class Card {
  element = document.createElement("li");
  seen = false;
  dirty = true;
  #reachable = false;

  /**
   * @param {Sim.TablePicture} table
   * @param {Hands} hands
   * @param {(table: Sim.TablePicture) => void} onOpen
   */
  constructor(table, hands, onOpen) {
    this.table = table;
    this.hands = hands;
    this.onOpen = onOpen;
    this.element.className = "vt-card";
    this.#render();
  }

  /**
   * Whether the Tab key stops here; only at one table, the arrow keys lead to the others.
   * @param {boolean} reachable
   */
  reach(reachable) {
    this.#reachable = reachable;
    this.#render();
  }

  /** @param {Sim.TablePicture} table */
  take(table) {
    this.table = table;
    this.dirty = true;
  }

  draw() {
    this.dirty = false;
    this.#render();
    paint(this.element, this.table);
  }

  #render() {
    const name = tableName(this.table);
    const middle = html`<button type="button" class="vt-name" aria-label=${word("virtual_open", { table: name })} tabindex=${this.#reachable ? 0 : -1} @click=${() => this.onOpen(this.table)}>${name}</button>`;
    render(tableView(this.table, { hands: this.hands, middle, reachable: this.#reachable }), this.element);
  }
}

export class VirtualTables {
  /** @type {Map<string, Sim.TablePicture>} */
  #tables = new Map(); // by uid, as they came last
  /** @type {Map<string, Card>} */
  #cards = new Map();
  /** @type {WeakMap<Element, Card>} */
  #byElement = new WeakMap();
  /** @type {Card | null} */
  #reachable = null;
  /** @type {boolean | null} */
  #small = null; // null until it is known how many there are
  #open = false;
  #sentence = "";
  #mistake = "";

  /** @param {() => void} redraw */
  constructor(redraw) {
    this.redraw = redraw;
    this.hands = new Hands((problem) => this.#say(problem), "/api/sim/tables");
    this.detail = tableDetail(this.hands, redraw);
    this.observer = new IntersectionObserver((entries) => this.#seen(entries), { rootMargin: NEAR });
  }

  listen() {
    new OpenFeed({ path: "/api/sim/tables", onMessage: (news) => this.#take(news), onOpen: (open) => this.#opened(open) }).open();
  }

  /** Draws the tables that have changed and can be seen; to be called for each frame. */
  drawSeen() {
    for (const card of this.#cards.values()) if (card.seen && card.dirty) card.draw();
  }

  /** @param {string} problem */
  #say(problem) {
    this.#mistake = problem;
    this.redraw();
  }

  /** @param {boolean} open */
  #opened(open) {
    this.#open = open;
    this.redraw();
  }

  /** @param {News} news */
  #take({ all, tables, sentence = null, sentence_key: key }) {
    if (all) this.#keepOnly(new Set(tables.map(({ uid }) => uid)));
    for (const table of tables) this.#takeTable(table);
    this.#sentence = told(sentence, key) ?? "";
    if (this.#cards.size > 0) this.#small ??= this.#cards.size >= MANY;
    this.detail.take(this.#tables);
    this.redraw();
  }

  /** @param {Set<string>} uids */
  #keepOnly(uids) {
    for (const [uid, card] of this.#cards) {
      if (uids.has(uid)) continue;
      this.observer.unobserve(card.element);
      this.#cards.delete(uid);
      this.#tables.delete(uid);
      if (this.#reachable === card) this.#reachable = null;
    }
  }

  /** @param {Sim.TablePicture} table */
  #takeTable(table) {
    this.#tables.set(table.uid, table);
    const card = this.#cards.get(table.uid);
    if (card === undefined) this.#add(table);
    else card.take(table);
  }

  /** @param {Sim.TablePicture} table */
  #add(table) {
    const card = new Card(table, this.hands, (newest) => this.detail.open(newest));
    this.#cards.set(table.uid, card);
    this.#byElement.set(card.element, card);
    this.observer.observe(card.element);
    if (this.#reachable === null) this.#reachAt(card);
  }

  /** @param {IntersectionObserverEntry[]} entries */
  #seen(entries) {
    for (const { target, isIntersecting } of entries) {
      const card = this.#byElement.get(target);
      if (card !== undefined) card.seen = isIntersecting;
    }
  }

  /** @param {EventTarget | null} target */
  #cardAt(target) {
    const element = target instanceof Element ? target.closest(".vt-card") : null;
    return element === null ? undefined : this.#byElement.get(element);
  }

  /** @param {Card} card */
  #reachAt(card) {
    if (this.#reachable === card) return;
    this.#reachable?.reach(false);
    this.#reachable = card;
    card.reach(true);
  }

  /** @param {FocusEvent} event */
  #focused({ target }) {
    const card = this.#cardAt(target);
    if (card !== undefined) this.#reachAt(card);
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
    if (!(event.target instanceof HTMLButtonElement)) return;
    const place = [...here.element.querySelectorAll("button")].indexOf(event.target);
    to.element.querySelectorAll("button")[place]?.focus();
  }

  #turnSize() {
    this.#small = !this.#small;
    this.redraw();
  }

  /**
   * The head of a segment says how many tables there are, and how much the cable loses.
   * @param {string} name
   * @param {Card[]} cards
   */
  #segment(name, cards) {
    const [first] = cards;
    const alive = cards.filter(({ table }) => table.alive).length;
    /** @param {Event} event */
    const lose = ({ currentTarget }) => this.hands.do("loss", { uid: first?.table.uid, value: Number(/** @type {HTMLSelectElement} */ (currentTarget).value) });
    const choice = (/** @type {number} */ loss) => html`<option value=${loss} .selected=${loss === first?.table.loss}>${word("per_cent", { percent: Math.round(loss * 100) })}</option>`;
    return html`<section class="vt-segment">
      <div class="vt-head">
        <h3>${word("segment", { segment: name })}</h3><span class="vt-count">${alive === cards.length ? word("virtual_all", { count: alive }) : word("virtual_alive", { alive, all: cards.length })}</span>
        <label class="vt-loss-label"><span>${word("virtual_loss")}</span><select class="vt-loss" aria-label=${word("virtual_loss_of", { segment: name })} @change=${lose}>${LOSSES.map(choice)}</select></label>
      </div>
      <ol class="vt-list">${repeat(cards, (card) => card, ({ element }) => element)}</ol>
    </section>`;
  }

  draw() {
    const small = this.#small ?? false;
    const segments = Map.groupBy(this.#cards.values(), ({ table }) => table.segment);
    return html`<section class="tables" aria-labelledby="tables-title">
      <header class="tables-head">
        <h2 id="tables-title">${word("virtual_title")}</h2><p class="note">${word("virtual_help")}</p>
        <button type="button" data-is="vt-size" ?hidden=${this.#cards.size === 0} @click=${() => this.#turnSize()}>${word(small ? "virtual_large" : "virtual_small")}</button>
      </header>
      <p class="mistake" data-is="vt-mistake" role="alert">${this.#mistake}</p>
      <p class="note" data-is="vt-lost" role="status" ?hidden=${this.#open}>${word("virtual_lost")}</p>
      <p class="note" data-is="vt-empty">${this.#sentence}</p>
      <div data-is="vt-segments" data-size=${small ? "small" : "large"} @focusin=${(/** @type {FocusEvent} */ event) => this.#focused(event)}
        @keydown=${(/** @type {KeyboardEvent} */ event) => this.#key(event)}>${repeat(segments, ([name]) => name, ([name, cards]) => this.#segment(name, cards))}</div>
    </section>`;
  }
}
