// The virtual tables, and the hands that press, hold and break.

import { repeat } from "../vendor/lit-html/directives/repeat.js";
import { html, nothing, render } from "../vendor/lit-html/lit-html.js";
import { symbol } from "../lib/components.js";
import { part, redraw } from "../lib/dom.js";
import { answerOf, openFeed } from "../lib/feed.js";
import { drawBits } from "../lib/oled.js";
import { told, word } from "../lib/words.js";

/**
 * @import { Said } from "../lib/filling.js"
 * @import { WordKey } from "../lib/words.js"
 */

// Pressing, holding and breaking: what is done goes to the server in the order in which it was done.

/** @typedef {{ is?: string, look: string, label: string, hint?: string, reachable?: boolean, style?: string, body?: object, actions?: [press: string, release: string] }} Held */

/** @type {WeakSet<EventTarget>} */
const down = new WeakSet(); // elements on which a pointer or a key is down

/**
 * Whether this event presses the element or lets it go; null: neither.
 * @param {Event} event
 */
function pressOf(event) {
  if (event instanceof KeyboardEvent) {
    if (event.code !== "Space" && event.code !== "Enter") return null;
    event.preventDefault();
    return event.repeat ? null : event.type === "keydown";
  }
  if (event.type !== "pointerdown") return false;
  return event instanceof PointerEvent && event.button === 0 ? true : null;
}

export class Hands {
  #last = Promise.resolve();

  /**
   * `path` is the address before the action's name; `onProblem(sentence)` gets "" when all went well.
   * @param {(sentence: string) => unknown} onProblem
   * @param {string} path
   */
  constructor(onProblem, path = "/api/sim") {
    this.onProblem = onProblem;
    this.path = path;
  }

  /**
   * Does one thing after the ones before.
   * @param {string} name
   * @param {object} body
   */
  do(name, body = {}) {
    this.#last = this.#last.then(async () => {
      const { problem } = await answerOf(`${this.path}/${name}`, { body, unanswered: word("panel_lost") });
      this.onProblem(problem);
      redraw();
    });
  }

  /**
   * A button that is pressed while a pointer, Enter or Space is down on it; `body` goes along, `actions` are the names of
   * pressing and letting go.
   * @param {unknown} content
   * @param {Held} options
   */
  button(content, { is, look, label, hint, reachable = true, style = "", body = {}, actions: [press, release] = ["press", "release"] }) {
    const act = (/** @type {Event} */ event) => {
      const button = /** @type {HTMLElement} */ (event.currentTarget);
      const pressed = pressOf(event);
      if (pressed === null || pressed === down.has(button)) return;
      if (pressed && event instanceof PointerEvent) button.setPointerCapture(event.pointerId);
      if (pressed) down.add(button);
      else down.delete(button);
      this.do(pressed ? press : release, body);
    };
    return html`<button type="button" class=${look} data-is=${is ?? nothing} aria-label=${label} title=${hint ?? nothing} tabindex=${reachable ? 0 : -1} .style=${style}
      @pointerdown=${act} @pointerup=${act} @pointercancel=${act} @lostpointercapture=${act} @blur=${act} @keydown=${act} @keyup=${act}
      @contextmenu=${(/** @type {Event} */ event) => event.preventDefault()}>${content}</button>`;
  }
}

// One virtual table seen from above: Moon's player sits at the top and reads from there, Sun's at the bottom.

/** @typedef {{ hands: Hands, middle: unknown, reachable?: boolean, large?: boolean }} View */

const BRIGHTEST = 255;
const BLANK = { width: 128, height: 64, on: false, contrast: 0, bits: "" };

/**
 * How a table is called: its segment and its place on the cable, as its board is in a roster of virtual tables.
 * @param {Sim.TablePicture} table
 */
function tableName({ segment, position }) {
  return `${segment}${position}`;
}

/**
 * The style of a lamp; an eye sees one at a quarter of its power as half as bright.
 * @param {number} level
 */
const lit = (level) => `--level: ${Math.sqrt(level / BRIGHTEST).toFixed(2)}`;

/**
 * One player's side: display, side lamp, claim button with its lamp, and the helper that holds it long enough.
 * @param {Sim.TablePicture} table
 * @param {"moon" | "sun"} side
 * @param {View} view
 */
function sideView(table, side, { hands, reachable = true }) {
  const said = { table: tableName(table), side: word(side) };
  const body = { uid: table.uid, side };
  const claim = { look: `vt-claim ${side}`, label: word("virtual_claim", said), hint: word("virtual_claim_hint"), reachable, style: lit(table.lamps[`claim_${side}`]), body };
  const display = html`<canvas class="vt-oled" data-side=${side} role="img" aria-label=${word("virtual_display", said)} width=${BLANK.width} height=${BLANK.height}></canvas>`;
  const reach = html`<div class="vt-reach">
    <span class="vt-lamp ${side}" .style=${lit(table.lamps[side])}>${symbol(side)}</span>
    ${hands.button(html`<span class="vt-cap"></span>`, claim)}
    <button type="button" class="vt-hold" aria-label=${word("virtual_hold_long", said)} tabindex=${reachable ? 0 : -1} @click=${() => hands.do("hold", body)}>${word("virtual_hold")}</button>
  </div>`;
  return html`<div class="vt-side ${side}">${side === "moon" ? [reach, display] : [display, reach]}</div>`;
}

/**
 * The picture of a table; `middle` is what stands between the two displays, `reachable` whether the Tab key stops here.
 * Its displays are painted by `paint`.
 * @param {Sim.TablePicture} table
 * @param {View} view
 */
function tableView(table, view) {
  const troubles = [...(table.alive ? [] : [word("virtual_halted")]), ...(table.cut_before ? [word("virtual_cut")] : []), ...(table.babbling ? [word("virtual_babbling")] : []), ...(table.wires.length > 0 ? [word("virtual_wires")] : [])];
  const looks = { large: view.large ?? false, halted: !table.alive, cut: table.cut_before, babbling: table.babbling };
  return html`<div class=${["vt", ...Object.entries(looks).filter(([, on]) => on).map(([look]) => look)].join(" ")}>
    ${sideView(table, "moon", view)}
    <div class="vt-middle">${view.middle}<span class="vt-trouble">${troubles.join(", ")}</span></div>
    ${sideView(table, "sun", view)}
  </div>`;
}

/**
 * Paints the displays of a table that stands in `root`.
 * @param {HTMLElement} root
 * @param {Sim.TablePicture} table
 */
function paint(root, { displays }) {
  for (const canvas of root.querySelectorAll("canvas")) drawBits(canvas, displays.find(({ side }) => side === canvas.dataset.side) ?? BLANK);
}

// One virtual table enlarged, with all its fault switches.

// A switch does one thing when it is off and another when it is on; a bare action has no state. Faults of the wires are
// one action with a value, ohms or 1, which another value undoes.
/** @type {{ key: WordKey, is: (table: Sim.TablePicture) => boolean, on: string, off: string }[]} */
const SWITCHES = [
  { key: "virtual_switch_cut", is: (table) => table.cut_before, on: "cut", off: "mend" },
  { key: "virtual_switch_halt", is: (table) => !table.alive, on: "halt", off: "revive" },
  { key: "virtual_switch_babble", is: (table) => table.babbling, on: "babble", off: "hush" },
];
/** @type {{ key: WordKey, fault: Sim.TablePicture["wires"][number], value: number, undone?: number }[]} */
const WIRES = [
  { key: "virtual_switch_contact", fault: "contact", value: 2 },
  { key: "virtual_switch_one_wire", fault: "one_wire", value: 1 },
  { key: "virtual_switch_plug", fault: "plug", value: 5 },
  { key: "virtual_switch_spare", fault: "spare", value: 1 },
  { key: "virtual_switch_dead_supply", fault: "dead_supply", value: 1 },
  { key: "virtual_switch_terminator", fault: "terminator", value: 0, undone: 1 },
];
const ACTIONS = /** @type {const} */ (["reboot", "duplicate"]);

/**
 * The dialog; `open(table)` shows a table, `take(tables)` keeps it up to date.
 * @param {Hands} hands
 */
function tableDetail(hands) {
  /** @type {Sim.TablePicture | null} */
  let shown = null;

  /** @param {Sim.TablePicture | null} table */
  function show(table) {
    shown = table;
    redraw();
    if (shown !== null) paint(part("vt-detail"), shown);
  }

  /** @param {Sim.TablePicture} table */
  const faults = (table) => html`<div class="grid">
    ${SWITCHES.map(({ key, is, on, off }) => html`<button type="button" class="toggle" data-fault=${on} aria-pressed=${is(table)} @click=${() => hands.do(is(table) ? off : on, { uid: table.uid })}>${word(key)}</button>`)}
    ${WIRES.map(({ key, fault, value, undone = 0 }) => html`<button type="button" class="toggle" data-fault=${fault} aria-pressed=${table.wires.includes(fault)} @click=${() => hands.do(fault, { uid: table.uid, value: table.wires.includes(fault) ? undone : value })}>${word(key)}</button>`)}
    ${ACTIONS.map((action) => html`<button type="button" data-fault=${action} @click=${() => hands.do(action, { uid: table.uid })}>${word(`virtual_action_${action}`)}</button>`)}
  </div>`;

  return {
    /** @param {Sim.TablePicture} table */
    open(table) {
      show(table);
      part("vt-detail").showModal();
    },
    /**
     * News have come.
     * @param {(uid: string) => Sim.TablePicture | undefined} tableOf
     */
    take(tableOf) {
      const newest = shown === null ? null : (tableOf(shown.uid) ?? null);
      if (newest === shown) return;
      if (newest === null) part("vt-detail").close();
      else show(newest);
    },
    draw() {
      const close = () => part("vt-detail").close();
      const beside = (/** @type {Event} */ { target, currentTarget }) => target === currentTarget && close();
      return html`<dialog class="vt-detail" data-is="vt-detail" aria-labelledby="vt-detail-title" @click=${beside} @close=${() => show(null)}>
        <header>
          <h2 id="vt-detail-title">${shown === null ? "" : word("virtual_table", { table: tableName(shown) })}</h2>
          <button type="button" class="plain" aria-label=${word("close")} @click=${close}>×</button>
        </header>
        <div class="vt-detail-picture">${shown === null ? nothing : tableView(shown, { hands, middle: html`<span class="vt-uid">${shown.uid}</span><span class="vt-supply">${word("volts", { volts: shown.supply_v })}</span>`, large: true })}</div>
        ${shown === null ? nothing : faults(shown)}
      </dialog>`;
    },
  };
}

// All virtual tables, segment by segment. Only those that can be seen are painted, so 256 cost little more than a few.

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
  /** @type {Map<string, Card>} */
  #cards = new Map(); // by uid, with their tables as they came last
  /** @type {Card | null} */
  #reachable = null;
  /** @type {boolean | null} */
  #small = null; // null until it is known how many there are
  #open = false;
  #sentence = "";
  #mistake = "";

  constructor() {
    this.hands = new Hands((problem) => (this.#mistake = problem), "/api/sim/tables");
    this.detail = tableDetail(this.hands);
    this.observer = new IntersectionObserver((entries) => this.#seen(entries), { rootMargin: NEAR });
    openFeed({ path: "/api/sim/tables", onMessage: (/** @type {News} */ news) => this.#take(news), onOpen: (open) => (this.#open = open) });
  }

  /** Draws the tables that have changed and can be seen; to be called for each frame. */
  drawSeen() {
    for (const card of this.#cards.values()) if (card.seen && card.dirty) card.draw();
  }

  /** @param {News} news */
  #take({ all, tables, sentence = null, sentence_key: key }) {
    if (all) this.#keepOnly(new Set(tables.map(({ uid }) => uid)));
    for (const table of tables) this.#takeTable(table);
    this.#sentence = told(sentence, key) ?? "";
    if (this.#cards.size > 0) this.#small ??= this.#cards.size >= MANY;
    this.detail.take((uid) => this.#cards.get(uid)?.table);
  }

  /** @param {Set<string>} uids */
  #keepOnly(uids) {
    for (const [uid, card] of this.#cards) {
      if (uids.has(uid)) continue;
      this.observer.unobserve(card.element);
      this.#cards.delete(uid);
      if (this.#reachable === card) this.#reachable = null;
    }
  }

  /** @param {Sim.TablePicture} table */
  #takeTable(table) {
    const card = this.#cards.get(table.uid);
    if (card === undefined) this.#add(table);
    else card.take(table);
  }

  /** @param {Sim.TablePicture} table */
  #add(table) {
    const card = new Card(table, this.hands, (newest) => this.detail.open(newest));
    this.#cards.set(table.uid, card);
    this.observer.observe(card.element);
    if (this.#reachable === null) this.#reachAt(card);
  }

  /** @param {IntersectionObserverEntry[]} entries */
  #seen(entries) {
    for (const { target, isIntersecting } of entries) {
      const card = this.#cardAt(target);
      if (card !== undefined) card.seen = isIntersecting;
    }
  }

  /** @param {EventTarget | null} target */
  #cardAt(target) {
    return [...this.#cards.values()].find(({ element }) => target instanceof Element && element.contains(target));
  }

  /** @param {Card | undefined} card */
  #reachAt(card) {
    if (card === undefined || this.#reachable === card) return;
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
    if (!(event.target instanceof HTMLButtonElement)) return;
    const place = [...here.element.querySelectorAll("button")].indexOf(event.target);
    to.element.querySelectorAll("button")[place]?.focus();
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
        <button type="button" data-is="vt-size" ?hidden=${this.#cards.size === 0} @click=${() => (this.#small = !small)}>${word(small ? "virtual_large" : "virtual_small")}</button>
      </header>
      <p class="mistake" data-is="vt-mistake" role="alert">${this.#mistake}</p>
      <p class="note" data-is="vt-lost" role="status" ?hidden=${this.#open}>${word("virtual_lost")}</p>
      <p class="note" data-is="vt-empty">${this.#sentence}</p>
      <div data-is="vt-segments" data-size=${small ? "small" : "large"} @focusin=${(/** @type {FocusEvent} */ { target }) => this.#reachAt(this.#cardAt(target))}
        @keydown=${(/** @type {KeyboardEvent} */ event) => this.#key(event)}>${repeat(segments, ([name]) => name, ([name, cards]) => this.#segment(name, cards))}</div>
    </section>`;
  }
}
