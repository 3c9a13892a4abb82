// The walk along the rows, with one hand on a phone. Each phone chooses its own row; every press counts for all of them.

import { make, part, setData, setText, show, symbol } from "../dom.js";
import { word } from "../words.js";
import { Course, nextOf, openOf, rowsOf, rowToWalk, standingOf } from "./walking.js";

/** @import { Row } from "./walking.js" */

const BUZZ_MS = 80;
const MOST_NOTES = 3;

/**
 * @param {Row} row
 * @param {Row | null} chosen
 * @param {(name: string) => void} onChoose
 */
function rowButton(row, chosen, onChoose) {
  const said = { row: row.name, done: row.done, of: row.boards.length };
  const button = make("button", row.done === row.boards.length ? "walk-row over" : "walk-row", word("stWalkRow", said));
  button.type = "button";
  button.setAttribute("aria-pressed", String(row.name === chosen?.name));
  button.setAttribute("aria-label", word("stWalkRowSaid", said));
  button.addEventListener("click", () => onChoose(row.name));
  return button;
}

/**
 * @param {"moon" | "sun"} side
 * @param {boolean} heard
 */
function sideMark(side, heard) {
  const mark = make("li", heard ? "heard" : "", [symbol(heard ? "verdict-passed" : side), make("span", "", word(`stWalkPart_${side}`))]);
  mark.dataset.side = side;
  return mark;
}

/**
 * @param {Selftest.WalkBoard} board
 * @param {{ passed: Set<string>, next: Selftest.WalkBoard | null, early: Map<string, string> }} walk
 */
function mapMark(board, { passed, next, early }) {
  const over = board.sun && board.moon;
  const standing = early.has(board.board) ? "odd" : passed.has(board.board) && !over ? "passed" : standingOf(board);
  const mark = make("li", "", board.board);
  mark.dataset.standing = standing;
  mark.setAttribute("aria-label", word(`stWalkBoard_${standing}`, { board: board.board }));
  mark.classList.toggle("next", board === next);
  return mark;
}

/** @param {Selftest.WalkBoard | null} board */
function pressText(board) {
  if (board === null) return word("stWalkAll");
  if (board.sun === board.moon) return word("stWalkPress");
  return word(board.sun ? "stWalkPressMoon" : "stWalkPressSun");
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
  /** @type {Row | null} */
  let row = null;
  /** @type {Selftest.WalkBoard | null} */
  let next = null;
  /** @type {Selftest.Question | null} */
  let question = null;
  let heard = 0;

  function draw() {
    const rows = rowsOf(boards);
    row = rowToWalk(rows, present);
    present = row?.name ?? null;
    next = row === null ? null : nextOf(row, passed, course.back(row.name));
    show(part("walk-rows"), rows.length > 1);
    part("walk-rows").replaceChildren(...rows.map((each) => rowButton(each, row, choose)));
    setText(part("walk-press"), pressText(next));
    const name = next?.board ?? word("stWalkOver");
    setText(part("walk-board"), name);
    part("walk-board").style.setProperty("--letters", String(Math.max(2, name.length)));
    part("walk-sides").replaceChildren(...(next === null ? [] : [sideMark("sun", next.sun), sideMark("moon", next.moon)]));
    const notes = boards.flatMap((board) => notesOf(board).map((note) => [board.board, note]));
    part("walk-notes").replaceChildren(...notes.slice(-MOST_NOTES).map(([name, note]) => make("li", "", [symbol("verdict-warning"), make("b", "", name), make("span", "", note)])));
    part("walk-map").replaceChildren(...(row?.boards ?? []).map((board) => mapMark(board, { passed, next, early: course.early })));
    for (const mark of document.querySelectorAll('.walk-map .next, .walk-row[aria-pressed="true"]')) mark.scrollIntoView({ block: "nearest", inline: "nearest" });
    setText(part("walk-progress"), word("stWalkProgress", { done: boards.length - openOf(boards).length, of: boards.length }));
    drawKeys();
  }

  /** @param {Selftest.WalkBoard} walked */
  function notesOf({ board, note }) {
    const wanted = course.early.get(board);
    const notes = wanted === undefined ? [] : [word("stWalkEarly", { wanted })];
    return note === "" ? notes : [word("stWalkNote", { note }), ...notes];
  }

  function drawKeys() {
    const again = next === null && row !== null && row.boards.some((board) => passed.has(board.board) && !(board.sun && board.moon));
    show(part("walk-pass"), next !== null || again);
    setText(part("walk-pass"), again ? word("stWalkPassed") : word("stWalkPass", { board: next?.board }));
    show(part("walk-sure"), !part("walk-sure").hidden && openOf(boards).length > 0);
  }

  /** The first answer of the question ends the walk. */
  function end() {
    const [answer] = question?.answers ?? [];
    if (answer !== undefined) reply(answer);
  }

  /** @param {string} name */
  function choose(name) {
    present = name;
    draw();
  }

  for (const button of [part("walk-pass"), part("walk-done"), part("walk-retry"), part("walk-skip"), part("walk-back")]) button.type = "button";
  part("walk-pass").addEventListener("click", () => {
    if (next === null) passed.clear();
    else passed.add(next.board);
    draw();
  });
  part("walk-done").addEventListener("click", () => {
    const open = openOf(boards);
    if (open.length === 0) return end();
    setText(part("walk-sure-words"), word("stWalkSure", { n: open.length }));
    show(part("walk-sure"), true);
    part("walk-back").focus();
  });
  part("walk-back").addEventListener("click", () => show(part("walk-sure"), false));
  part("walk-retry").addEventListener("click", () => reply("retry"));
  part("walk-skip").addEventListener("click", end);

  return {
    /** @param {Selftest.SelftestSnapshot} snapshot */
    take(snapshot) {
      const asked = snapshot.question?.live === "walk" ? snapshot.question : null;
      show(part("walk"), asked !== null);
      document.body.classList.toggle("walking", asked !== null);
      if (asked === null) return;
      if (question?.id !== asked.id) {
        passed.clear();
        course = new Course();
        show(part("walk-sure"), false);
        heard = 0;
      }
      question = asked;
      boards = snapshot.live?.walk ?? [];
      setData(part("walk"), "finished", String(snapshot.live?.finished ?? false));
      if (boards.length > 0) course.take(rowsOf(boards), passed);
      const now = boards.reduce((sum, board) => sum + Number(board.sun) + Number(board.moon), 0);
      if (now > heard && heard > 0 && navigator.userActivation?.hasBeenActive) navigator.vibrate?.(BUZZ_MS);
      heard = now;
      draw();
    },
  };
}
