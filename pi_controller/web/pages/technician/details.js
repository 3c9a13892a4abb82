// One board: how it stands, its node's facts, and everything that can be done to it.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { once } from "../components/actions.js";
import { factList, options } from "../components/list.js";
import { symbol } from "../components/symbol.js";
import { part } from "../dom.js";
import { placeText } from "../tables/hub.js";
import { sparesOf } from "../tables/reading.js";
import { word } from "../words.js";
import { factsOf } from "./facts.js";

/**
 * @import { TableActions } from "../technician.js"
 * @import { KnownHub } from "../tables/hub.js"
 * @import { Board } from "../tables/reading.js"
 */

const IDENTIFY_S = 10;
const ORDERS = /** @type {const} */ (["reboot", "blank", "leave_safe_mode", "forget"]);

/**
 * `chosen` is the board that is shown at first.
 * @param {TableActions} actions
 * @param {() => void} redraw
 * @param {string | null} chosen
 */
export function detailsCard(actions, redraw, chosen) {
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
