// The tables' displays beside a game that is seen again: each picture that stands on any of them once, with where it stands, or both of one board.

import { html, nothing, render } from "../vendor/lit-html/lit-html.js";
import { symbol } from "../components/symbol.js";
import { make } from "../dom.js";
import { seatOf } from "../seats.js";
import { drawBits } from "../sim/oled.js";
import { told, word } from "../words.js";
import { HEIGHT, SIDES, WIDTH, bitsOf, boardAt, groupsAt } from "./displays.js";
import { game } from "./feed.js";

/**
 * @import { ReplayFeed } from "./feed.js"
 * @import { Group, Seats, Side, Tables } from "./displays.js"
 */

const MOST_NAMED = 6; // boards of a picture that are named one by one

/**
 * Puts the panel on the page; `frame` is called with each frame, `open` shows or hides it.
 * @param {ReplayFeed} feed
 */
export function replayTables(feed) {
  const place = make("aside", "replay-tables");
  place.setAttribute("aria-labelledby", "replay-tables-title");
  document.body.append(place);
  /** @type {Tables | null} */
  let tables = null;
  let problem = "";
  let board = "";
  let shown = "";
  let isOpen = true;

  async function load() {
    const answer = await fetch(`/api/games/${encodeURIComponent(game)}/replay/tables`);
    const content = await answer.json();
    if (answer.ok) tables = content;
    else problem = told(content.error, content.reason_keys?.[0]);
  }

  /** @param {boolean} open */
  function open(open) {
    isOpen = open;
    document.documentElement.toggleAttribute("data-replay-tables", open);
    place.hidden = !open;
  }

  /** @param {Side} side */
  function seatName(side) {
    const { picture } = feed;
    const seat = picture?.seats[SIDES.indexOf(side)];
    return picture === null || seat === undefined ? { name: word(side), sign: side } : seatOf(picture, seat.id);
  }

  /** @param {Seats} seats */
  function where({ boards, others }) {
    const all = tables?.boards.length ?? 0;
    if (others && boards.length === all) return all > 1 ? word("replay_all_boards_counted", { count: all }) : word("replay_all_boards");
    if (others && boards.length > MOST_NAMED) return word("replay_other_boards");
    const rest = boards.length - MOST_NAMED;
    return [boards.slice(0, MOST_NAMED).join(", "), ...(rest > 0 ? [`+${rest}`] : [])].join(" ");
  }

  /** @param {Group} group */
  function display({ key, shown: [, , , names], seats, board: one }) {
    const said = seats.map((each) => `${seatName(each.side).name}, ${where(each)}`);
    const named = names >= 0 && board === "" && seats.some(({ boards }) => boards.length > 1);
    return html`<figure data-key=${key} data-board=${one}>
      <canvas width=${WIDTH} height=${HEIGHT} role="img" aria-label=${word("replay_display", { places: said.join("; ") })}></canvas>
      <figcaption>${seats.map((each) => html`<span><b>${symbol(seatName(each.side).sign)} ${seatName(each.side).name}</b> ${where(each)}</span>`)}
        ${named ? html`<span class="own-names">${word("replay_own_names")}</span>` : nothing}</figcaption>
    </figure>`;
  }

  /** @param {Event} event */
  function choose({ currentTarget }) {
    board = /** @type {HTMLSelectElement} */ (currentTarget).value;
    frame();
  }

  function chooser() {
    const names = tables?.boards ?? [];
    if (names.length === 0) return nothing;
    return html`<label><span class="only-spoken">${word("board")}</span><select data-is="replay-board" @change=${choose}>
      <option value="">${word("replay_all_boards")}</option>${names.map((name) => html`<option value=${name} .selected=${name === board}>${name}</option>`)}</select></label>`;
  }

  /** @param {Group[]} groups */
  function draw(groups) {
    const waits = problem === "" ? word("replay_tables_wait") : problem;
    render(html`<header><h2 id="replay-tables-title">${word("replay_tables")}</h2>${chooser()}</header>
      ${tables === null ? html`<p role="status">${waits}</p>` : nothing}
      <div class="displays" data-is="replay-displays" tabindex="0" role="group" aria-label=${word("replay_tables")}>${groups.map(display)}</div>`, place);
    const canvases = place.querySelectorAll("canvas");
    groups.forEach((group, number) => {
      const canvas = canvases[number];
      if (tables !== null && canvas !== undefined) drawBits(canvas, { width: WIDTH, height: HEIGHT, on: true, bits: bitsOf(tables, group.shown, group.board) });
    });
  }

  function groups() {
    if (tables === null) return [];
    return board === "" ? groupsAt(tables, feed.atMs) : boardAt(tables, board, feed.atMs);
  }

  function frame() {
    if (!isOpen) return;
    const found = groups();
    const seats = found.map((group) => group.seats.map(({ side, boards }) => `${side}${boards.length}${boards[0]}`).join());
    const now = [...found.map(({ key }) => key), ...seats, board, problem, tables === null, document.documentElement.lang, feed.picture?.seats.length].join("|");
    if (now === shown) return;
    shown = now;
    draw(found);
  }

  open(true);
  load().catch((failure) => {
    if (!(failure instanceof TypeError)) throw failure;
    problem = word("answer_503");
  });
  return { frame, open, isOpen: () => isOpen };
}
