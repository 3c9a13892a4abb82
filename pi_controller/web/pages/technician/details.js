// One board: how it stands, its node's facts, and everything that can be done to it.

import { make, part, setData, setText, show, symbol } from "../dom.js";
import { sparesOf } from "../tables/reading.js";
import { word } from "../words.js";
import { bind } from "./deeds.js";
import { factsOf } from "./facts.js";

/**
 * @import { KnownHub } from "../tables/hub.js"
 * @import { Board } from "../tables/reading.js"
 * @import { Deeds } from "./deeds.js"
 * @import { Fact } from "./facts.js"
 * @typedef {{ chosen: string | null, board: Board | null, choose(name: string | null): void, take(hub: KnownHub): void }} Card
 */

const IDENTIFY_S = 10;
const ORDERS = /** @type {const} */ (["reboot", "blank", "leave_safe_mode", "forget"]);

/** @param {Fact} fact */
function factPair([key, text, look = false]) {
  const pair = make("div", look ? "fact look" : "fact", [make("dt", "", word(`fact_${key}`)), make("dd", "", text)]);
  if (key === "uid") pair.classList.add("wide");
  return pair;
}

/** @param {Api.NodeView[]} spares */
function fillSpares(spares) {
  const select = part("replace-uid");
  const said = spares.map((node) => node.uid).join();
  if (select.dataset.said === said) return;
  select.dataset.said = said;
  const kept = select.value;
  select.replaceChildren(
    ...spares.map((node) => {
      const option = make("option", "", word("spareOption", node));
      option.value = node.uid;
      return option;
    }),
  );
  if (spares.some((node) => node.uid === kept)) select.value = kept;
}

/**
 * @param {Board} board
 * @param {Api.NodeView[]} spares
 */
function drawBoard(board, spares) {
  const { node, standing, uid } = board;
  setText(part("details-title"), word("claimBoard", { board: board.name }));
  setData(part("details-standing"), "node", standing);
  part("details-standing").replaceChildren(symbol(`node-${standing}`), make("b", "", word(`node_${standing}`)), make("span", "", word("boardPlace", { row: board.row.name, place: board.place, all: board.row.boards.length })));
  setText(part("details-help"), uid !== null && node === null ? word("nodeNever") : word(`nodeHelp_${standing}`));
  part("facts").replaceChildren(...(node === null ? (uid === null ? [] : [factPair(["uid", uid])]) : factsOf(node).map(factPair)));
  show(part("details-deeds"), uid !== null);
  show(part("more-orders"), uid !== null);
  show(part("no-spares"), spares.length === 0);
  show(part("replace-fields"), spares.length > 0);
  fillSpares(spares);
}

/**
 * `redraw()` is called when another board is chosen.
 * @param {Deeds} deeds
 * @param {() => void} redraw
 */
export function detailsCard(deeds, redraw) {
  /** @type {Card} */
  const card = {
    chosen: null,
    board: null,
    /**
     * Shows this board, or none with null.
     * @param {string | null} name
     */
    choose(name) {
      card.chosen = name === card.chosen ? null : name;
      show(part("clear-sure"), false);
      redraw();
      if (card.chosen !== null) part("details").scrollTop = 0;
    },
    /** @param {KnownHub} hub */
    take(hub) {
      const board = hub.boards.find(({ name }) => name === card.chosen) ?? null;
      part("details").classList.toggle("open", board !== null);
      for (const element of part("details").children) if (board === null) element.toggleAttribute("hidden", element.tagName !== "HEADER");
      show(part("details-close"), board !== null);
      show(part("details"), hub.boards.length > 0);
      if (board === null) return setText(part("details-title"), word("detailsNone"));
      for (const place of [part("details-standing"), part("details-help"), part("facts"), part("replace")]) show(place, true);
      drawBoard(board, sparesOf(hub.roster, hub.snapshot));
      card.board = board;
    },
  };
  bindDeeds(deeds, card);
  return card;
}

/**
 * @param {Deeds} deeds
 * @param {Card} card
 */
function bindDeeds(deeds, card) {
  const board = () => ({ board: card.chosen });
  part("details-close").addEventListener("click", () => card.choose(null));
  bind(part("identify"), () => deeds.do("identify", { ...board(), seconds: IDENTIFY_S }));
  bind(part("swap"), () => deeds.do("swap", board()));
  bind(part("replace-now"), () => deeds.do("replace", { ...board(), uid: part("replace-uid").value }));
  for (const what of ORDERS) {
    const button = make("button", "", word(`order_${what}`));
    bind(button, () => deeds.do("order", { uid: card.board?.uid, what }));
    part("orders").append(button);
  }
  const clear = make("button", "", word("clearBoard"));
  clear.type = "button";
  clear.addEventListener("click", () => {
    setText(part("clear-question"), word("clearSure", board()));
    show(part("clear-sure"), true);
    part("clear-cancel").focus();
  });
  part("orders").append(clear);
  part("clear-cancel").type = "button";
  part("clear-cancel").addEventListener("click", () => show(part("clear-sure"), false));
  bind(part("clear-now"), async () => {
    await deeds.do("clear", board());
    show(part("clear-sure"), false);
  });
}
