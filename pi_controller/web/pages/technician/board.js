// One board: how it stands, its node's facts, and everything that can be done to it.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { factList, once, options, symbol } from "../lib/components.js";
import { part, redraw } from "../lib/dom.js";
import { placeText } from "../lib/hall_map.js";
import { sparesOf } from "../lib/tables.js";
import { word } from "../lib/words.js";

/**
 * @import { KnownHub } from "../lib/hall_map.js"
 * @import { Board } from "../lib/tables.js"
 * @import { WordKey } from "../lib/words.js"
 * @import { TableActions } from "./technician.js"
 */

// The facts of a node: name, text, whether it is a reason to look.

/**
 * @typedef {{ [Key in WordKey]: Key extends `fact_${infer Name}` ? Name : never }[WordKey]} FactKey
 * A fact by the key of its name.
 * @typedef {[key: FactKey, text: string, look?: boolean]} Fact
 */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/**
 * How long ago, from milliseconds.
 * @param {number} ms
 */
function agoText(ms) {
  if (ms < SECOND) return word("ago_ms", { ms });
  if (ms < 2 * MINUTE) return word("ago_seconds", { seconds: Math.round(ms / SECOND) });
  return word("ago_minutes", { minutes: Math.round(ms / MINUTE) });
}

/** @param {number} minutes */
function uptimeText(minutes) {
  if (minutes < 60) return word("minutes_up", { minutes });
  return word("hours_up", { hours: Math.floor(minutes / 60), minutes: minutes % 60 });
}

/**
 * `null`: nothing was measured yet.
 * @param {Api.RoundTripView | null} trip
 */
export function tripText(trip) {
  if (trip === null) return word("not_measured");
  return word("round_trip", { p50: trip.p50, p99: trip.p99 });
}

/** @param {Api.DisplaysView} displays */
function displaysText({ sun, moon }) {
  if (sun && moon) return word("displays_both");
  if (!sun && !moon) return word("displays_off");
  return word(sun ? "displays_moon_off" : "displays_sun_off");
}

/**
 * What only a health report tells; a node that has just come has not sent one yet.
 * @param {Api.NodeView} node
 * @returns {Fact[]}
 */
function reportedFacts(node) {
  if (node.reported === false) {
    /** @type {FactKey[]} */
    const unknown = ["supply", "temperature", "displays", "uptime", "reset"];
    return unknown.map((key) => [key, word("not_measured")]);
  }
  return [
    ["supply", word("volts", { volts: node.supply_v })],
    ["gain", node.gain === null ? word("not_calibrated") : word("gain", { gain: node.gain })],
    ["temperature", word("degrees", { degrees: node.temperature_c })],
    ["displays", displaysText(node.displays), !(node.displays.sun && node.displays.moon)],
    ["uptime", uptimeText(node.uptime_min)],
    ["reset", word(`reset_${node.reset}`), node.reset === "watchdog"],
  ];
}

/**
 * @param {Api.NodeView} node
 * @returns {Fact[]}
 */
function heardFacts(node) {
  const [from, to] = node.protocols;
  return [
    ["age", agoText(node.age_ms), node.state === "lost"],
    ["segment", node.segment],
    ["address", String(node.address), node.state === "duplicate"],
    ["round_trip", tripText(node.round_trip_ms)],
    ["missed", String(node.missed), node.state === "suspect"],
    ["states_missed", String(node.states_missed)],
    ["crc_errors", String(node.crc_errors), node.crc_errors > 0],
    ...reportedFacts(node),
    ["firmware", word("hardware_and_firmware", { firmware: node.firmware, hardware: node.hardware }), node.state === "outdated" || node.wordless],
    ["protocols", from === to ? String(from) : word("protocol_range", { from, to }), node.state === "outdated"],
    ["orientation", word(node.swapped ? "orientation_swapped" : "orientation_usual")],
  ];
}

/**
 * What is known of the node with this id; `node` is null until it has been heard.
 * @param {string} uid
 * @param {Api.NodeView | null} node
 */
function factsOf(uid, node) {
  /** @type {Fact[]} */
  const mode = node?.safe_mode ? [["mode", word("safe_mode"), true]] : [];
  /** @type {Fact[]} */
  const facts = [...mode, ...(node === null ? [] : heardFacts(node)), ["uid", uid]];
  return facts.map(([key, text, look]) => ({ name: word(`fact_${key}`), text, look, wide: key === "uid" }));
}

const IDENTIFY_S = 10;
const ORDERS = /** @type {const} */ (["reboot", "blank", "leave_safe_mode", "forget"]);

/**
 * `chosen` is the board that is shown at first.
 * @param {TableActions} actions
 * @param {string | null} chosen
 */
export function detailsCard(actions, chosen) {
  let asking = false; // whether the node is to be taken away

  /** @param {boolean} open */
  function ask(open) {
    asking = open;
    redraw();
    if (open) part("clear-cancel").focus();
  }

  /**
   * Shows this board; the one that is shown already, or null, closes the card.
   * @param {string | null} name
   */
  function choose(name) {
    chosen = name === chosen ? null : name;
    ask(false);
    if (chosen !== null) part("details").scrollTop = 0;
  }

  async function clear() {
    await actions.do("clear", { board: chosen });
    ask(false);
  }

  /**
   * @param {Board} board
   * @param {Api.NodeView[]} spares
   */
  function replacing(board, spares) {
    if (spares.length === 0) return html`<p class="hint" data-is="no-spares">${word("no_spares")}</p>`;
    const replace = () => actions.do("replace", { board: board.name, uid: part("replace-uid").value });
    return html`<div class="fields">
      <label><span>${word("replace_node_title")}</span><select data-is="replace-uid">${options(spares.map((node) => [node.uid, word("spare_option", { uid: node.uid, segment: node.segment, address: node.address })]))}</select></label>
      <button type="button" data-is="replace-now" @click=${once(replace)}>${word("replace_now")}</button>
    </div>`;
  }

  /** @param {Board} board */
  const orders = ({ name, uid }) => html`<details>
    <summary>${word("more_orders")}</summary>
    <div class="row">
      ${ORDERS.map((what) => html`<button type="button" @click=${once(() => actions.do("order", { uid, what }))}>${word(`order_${what}`)}</button>`)}
      <button type="button" @click=${() => ask(true)}>${word("clear_board")}</button>
    </div>
  </details>
  <div class="sure" data-is="clear-sure" ?hidden=${!asking}>
    <p data-is="clear-question">${word("clear_sure", { board: name })}</p>
    <button type="button" class="danger" @click=${once(clear)}>${word("clear_now")}</button>
    <button type="button" data-is="clear-cancel" @click=${() => ask(false)}>${word("cancel")}</button>
  </div>`;

  /**
   * @param {Board} board
   * @param {KnownHub} hub
   */
  function body(board, { roster, snapshot }) {
    const { name, node, standing, uid } = board;
    const help = uid !== null && node === null ? word("node_never") : word(`node_help_${standing}`);
    const place = html`<b>${word(`node_${standing}`)}</b><span>${placeText(board)}</span>`;
    return html`
      <p class="standing" data-node=${standing}>${symbol(`node-${standing}`)}${place}</p>
      <p class="hint" data-is="details-help">${help}</p>
      ${uid === null ? nothing : html`<div class="row">
        <button type="button" @click=${once(() => actions.do("identify", { board: name, seconds: IDENTIFY_S }))}>${word("identify")}</button>
        <button type="button" @click=${once(() => actions.do("swap", { board: name }))}>${word("swap_sides")}</button>
      </div>
      ${factList("facts", "fact", factsOf(uid, node))}`}
      <div class="replace">${replacing(board, sparesOf(roster, snapshot))}</div>
      ${uid === null ? nothing : orders(board)}`;
  }

  return {
    choose,
    get chosen() {
      return chosen;
    },
    /** @param {KnownHub} hub */
    draw(hub) {
      const board = hub.boards.find(({ name }) => name === chosen) ?? null;
      const close = html`<button type="button" class="plain" aria-label=${word("close_details")} @click=${() => choose(null)}>×</button>`;
      return html`<aside class="card details ${board === null ? "" : "open"}" data-is="details" aria-labelledby="details-title" ?hidden=${hub.boards.length === 0}>
        <header>
          <h2 id="details-title" data-is="details-title">${board === null ? word("details_none") : word("claim_board", { board: board.name })}</h2>
          ${board === null ? nothing : close}
        </header>
        ${board === null ? nothing : body(board, hub)}
      </aside>`;
    },
  };
}
