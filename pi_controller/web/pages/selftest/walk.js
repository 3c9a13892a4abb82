// The walk along the rows, with one hand on a phone. Each phone chooses its own row; every press counts for all of them.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { symbol } from "../lib/components.js";
import { part, redraw } from "../lib/dom.js";
import { told, word } from "../lib/words.js";
import { Course, nextOf, openOf, rowToWalk, rowsOf, standingOf } from "./walking.js";

/** @import { Row } from "./walking.js" */

const BUZZ_MS = 80;
const MOST_NOTES = 3;

/**
 * @param {"moon" | "sun"} side
 * @param {boolean} heard
 */
const sideMark = (side, heard) => html`<li class=${heard ? "heard" : ""} data-side=${side}>${symbol(heard ? "verdict-passed" : side)}<span>${word(`selftest_walk_part_${side}`)}</span></li>`;

/** @param {Selftest.WalkBoard | null} board */
function pressText(board) {
  if (board === null) return word("selftest_walk_all");
  if (board.sun === board.moon) return word("selftest_walk_press");
  return word(board.sun ? "selftest_walk_press_moon" : "selftest_walk_press_sun");
}

/**
 * `reply(answer, reason)` answers the question that the walk belongs to.
 * @param {(answer: string, reason?: string) => void} reply
 */
export function walkView(reply) {
  /** @type {Set<string>} */
  const passed = new Set();
  let course = new Course();
  /** @type {string | null} */
  let present = null; // the row of this phone
  /** @type {Selftest.WalkBoard[]} */
  let boards = [];
  /** @type {Selftest.OperatorQuestion | null} */
  let question = null;
  let walking = false;
  let finished = false;
  let leaving = false; // whether the walk is to be ended although boards are open
  let heard = 0;

  /** The first answer of the question ends the walk. */
  function end() {
    const [answer] = question?.answers ?? [];
    if (answer !== undefined) reply(answer);
  }

  /** @param {Selftest.WalkBoard | null} next */
  function pass(next) {
    if (next === null) passed.clear();
    else passed.add(next.board);
  }

  /** @param {boolean} open */
  function leave(open) {
    if (open && openOf(boards).length === 0) return end();
    leaving = open;
    redraw();
    if (open) part("walk-back").focus();
  }

  /**
   * @param {Row} row
   * @param {Row | null} chosen
   */
  function rowButton({ name, done, boards: { length: of } }, chosen) {
    const said = { row: name, done };
    return html`<button type="button" class="walk-row ${done === of ? "over" : ""}" aria-pressed=${name === chosen?.name}
      @click=${() => (present = name)}><span aria-hidden="true">${word("selftest_walk_row", { ...said, all: of })}</span><span class="only-spoken">${word("selftest_walk_row_said", { ...said, count: of })}</span></button>`;
  }

  /**
   * @param {Selftest.WalkBoard} board
   * @param {Selftest.WalkBoard | null} next
   */
  function mapMark(board, next) {
    const { board: name, sun, moon } = board;
    const standing = course.early.has(name) ? "odd" : passed.has(name) && !(sun && moon) ? "passed" : standingOf(board);
    return html`<li class=${board === next ? "next" : ""} data-standing=${standing} aria-label=${word(`selftest_walk_board_${standing}`, { board: name })}>${name}</li>`;
  }

  /** @returns {[board: string, note: string][]} */
  function notes() {
    const all = boards.flatMap(({ board, note, note_key: key }) => {
      const wanted = course.early.get(board);
      const own = [...(note === "" ? [] : [word("selftest_walk_note", { note: told(note, key) })]), ...(wanted === undefined ? [] : [word("selftest_walk_early", { wanted })])];
      return own.map((text) => /** @type {[string, string]} */ ([board, text]));
    });
    return all.slice(-MOST_NOTES);
  }

  /**
   * @param {Row | null} row
   * @param {Selftest.WalkBoard | null} next
   */
  function keys(row, next) {
    const again = next === null && row !== null && row.boards.some((board) => passed.has(board.board) && !(board.sun && board.moon));
    const open = openOf(boards).length;
    return html`
      <div class="walk-keys">
        <button type="button" data-is="walk-pass" ?hidden=${next === null && !again} @click=${() => pass(next)}>${again ? word("selftest_walk_passed") : word("selftest_walk_pass", { board: next?.board ?? "" })}</button>
        <button type="button" data-is="walk-done" @click=${() => leave(true)}>${word("selftest_walk_done")}</button>
      </div>
      <div class="sure" data-is="walk-sure" ?hidden=${!leaving || open === 0}>
        <p>${word("selftest_walk_sure", { count: open })}</p>
        <button type="button" class="strong" data-is="walk-back" @click=${() => leave(false)}>${word("selftest_walk_on")}</button>
        <button type="button" @click=${end}>${word("selftest_walk_leave")}</button>
        <button type="button" @click=${() => reply("retry")}>${word("selftest_walk_anew")}</button>
      </div>`;
  }

  function body() {
    const rows = rowsOf(boards);
    const row = rowToWalk(rows, present);
    present = row?.name ?? null;
    const next = row === null ? null : nextOf(row, passed, course.back(row.name));
    const name = next?.board ?? word("selftest_walk_over");
    return html`
      <div class="walk-rows" ?hidden=${rows.length <= 1}>${rows.map((each) => rowButton(each, row))}</div>
      <div class="walk-call">
        <p class="walk-press" data-is="walk-press">${pressText(next)}</p>
        <p class="walk-board" data-is="walk-board" .style=${`--letters: ${Math.max(2, name.length)}`}>${name}</p>
        <ul class="walk-sides">${next === null ? nothing : [sideMark("sun", next.sun), sideMark("moon", next.moon)]}</ul>
      </div>
      <ul class="walk-notes">${notes().map(([board, note]) => html`<li>${symbol("verdict-warning")}<b>${board}</b><span>${note}</span></li>`)}</ul>
      <ol class="walk-map">${(row?.boards ?? []).map((board) => mapMark(board, next))}</ol>
      <p class="walk-progress" data-is="walk-progress">${word("selftest_walk_progress", { done: boards.length - openOf(boards).length, count: boards.length })}</p>
      ${keys(row, next)}`;
  }

  /** @param {Selftest.OperatorQuestion} asked */
  function begin(asked) {
    if (question?.id === asked.id) return;
    question = asked;
    passed.clear();
    course = new Course();
    leaving = false;
    heard = 0;
  }

  return {
    /** @param {Selftest.SelftestSnapshot} snapshot */
    take({ question: asked, live }) {
      walking = asked?.live === "walk";
      document.body.classList.toggle("walking", walking);
      if (asked === null || !walking) return;
      begin(asked);
      boards = live?.walk ?? [];
      finished = live?.finished ?? false;
      if (boards.length > 0) course.take(rowsOf(boards), passed);
      const now = boards.reduce((sum, board) => sum + Number(board.sun) + Number(board.moon), 0);
      if (now > heard && heard > 0 && navigator.userActivation?.hasBeenActive) navigator.vibrate?.(BUZZ_MS);
      heard = now;
    },
    draw: () => html`<section class="walk-test" data-is="walk" data-finished=${finished} aria-live="polite" ?hidden=${!walking}>${walking ? body() : nothing}</section>`,
    /** Once it is on the page: the present row and board are brought into sight. */
    settle() {
      for (const mark of document.querySelectorAll('.walk-map .next, .walk-row[aria-pressed="true"]')) mark.scrollIntoView({ block: "nearest", inline: "nearest" });
    },
  };
}
