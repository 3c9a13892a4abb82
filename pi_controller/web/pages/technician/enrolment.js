// Walking a row: which board is to be pressed now, in letters that are read at arm's length, and how far it has got.

import { make, part, setText, show } from "../dom.js";
import { word } from "../words.js";
import { bind } from "./deeds.js";

/**
 * @import { KnownHub } from "../tables/hub.js"
 * @import { Deeds } from "./deeds.js"
 */

const BUZZ_MS = 80;

/**
 * @param {HTMLSelectElement} select
 * @param {[string, string][]} options
 */
function fill(select, options) {
  const said = options.map(([value]) => value).join();
  if (select.dataset.said === said) return;
  select.dataset.said = said;
  const kept = select.value;
  select.replaceChildren(
    ...options.map(([value, text]) => {
      const option = make("option", "", text);
      option.value = value;
      return option;
    }),
  );
  if (options.some(([value]) => value === kept)) select.value = kept;
}

/**
 * @param {Api.Board} board
 * @param {Api.EnrolmentView} walk
 */
function step(board, { done, next_board: next }) {
  const item = make("li", done.includes(board.name) ? "done" : board.name === next ? "now" : "");
  item.title = board.name;
  return item;
}

/**
 * @param {Api.EnrolmentView} walk
 * @param {Api.Row | undefined} row
 */
function drawWalk(walk, row) {
  const boards = row?.boards ?? [];
  setText(part("walk-row"), word("enrolRowIs", { name: walk.row }));
  setText(part("walk-board"), walk.next_board);
  part("walk-board").style.setProperty("--letters", String(walk.next_board.length));
  setText(part("walk-progress"), word("enrolProgress", { done: walk.done.length, all: boards.length }));
  setText(part("walk-last"), walk.done.length > 0 ? word("enrolLast", { board: walk.done.at(-1) }) : "");
  part("walk-steps").replaceChildren(...boards.map((board) => step(board, walk)));
}

/** @param {Deeds} deeds */
export function enrolment(deeds) {
  let done = 0;
  /** @type {Api.Row[]} */
  let rows = [];
  const fillFrom = () => {
    const row = rows.find(({ name }) => name === part("enrol-row").value);
    /** @type {[string, string][]} */
    const boards = row?.boards.map(({ name }) => [name, name]) ?? [];
    fill(part("enrol-from"), [["", word("enrolFromFirst")], ...boards]);
  };
  part("enrol-row").addEventListener("change", fillFrom);
  bind(part("enrol-start"), () => {
    const from = part("enrol-from").value;
    return deeds.do("enrol", { row: part("enrol-row").value, ...(from === "" ? {} : { board: from }) });
  });
  bind(part("walk-stop"), () => deeds.do("stop_enrolment"));

  return {
    /** @param {KnownHub} hub */
    take({ roster, snapshot }) {
      rows = roster.rows;
      fill(part("enrol-row"), rows.map(({ name }) => [name, word("row", { name })]));
      fillFrom();
      const walk = snapshot.enrolment;
      for (const control of [part("enrol-start"), part("enrol-row"), part("enrol-from")]) control.disabled = rows.length === 0 || walk !== null;
      show(part("walk"), walk !== null);
      document.body.classList.toggle("walking", walk !== null);
      const now = walk?.done.length ?? 0;
      if (now > done && navigator.userActivation?.hasBeenActive) navigator.vibrate?.(BUZZ_MS);
      done = now;
      if (walk !== null) drawWalk(walk, rows.find(({ name }) => name === walk.row));
    },
  };
}
