// An earlier game on the hall screen: the pictures of that game, the tables' displays beside it, the bar that moves it.

import { html, nothing, render } from "../vendor/lit-html/lit-html.js";
import { HEIGHT, SIDES, WIDTH, bitsOf, boardAt, groupsAt } from "./displays.js";
import { symbol } from "../lib/components.js";
import { make, part, redraw } from "../lib/dom.js";
import { answerOf } from "../lib/feed.js";
import { drawBits } from "../lib/oled.js";
import { elapsedText } from "../lib/reading.js";
import { seatOf } from "../lib/seats.js";
import { speakOf, told, wayTo, word } from "../lib/words.js";

/**
 * @import { Group, Seats, Side, Tables } from "./displays.js"
 * @import { FeedState } from "../lib/feed.js"
 */

// An earlier game in place of the feed: the same pictures, at the moment that is asked for.

/** @typedef {Api.ReplayLine} Line */

/** The address of a game again; its last part is the game. */
export const isReplay = location.pathname.startsWith("/replay/");
const game = decodeURIComponent(location.pathname.split("/").pop() ?? "");

/** As `Feed` to the page that shows it. `problem` is why there is nothing to show. */
export class ReplayFeed {
  /** @type {Api.Picture | null} */
  picture = null;
  why = "";
  problem = "";
  /** @type {Line[]} */
  lines = [];
  atMs = 0;
  playing = false;
  speed = 1;
  #place = -1;
  #framed = performance.now();

  /** @param {(picture: Api.Picture) => void} onPicture */
  constructor(onPicture) {
    this.onPicture = onPicture;
    this.load().catch((failure) => {
      if (!(failure instanceof TypeError || failure instanceof DOMException)) throw failure;
      this.problem = word("answer_503");
    });
  }

  async load() {
    const answer = await fetch(`/api/games/${encodeURIComponent(game)}/replay`);
    if (answer.ok) {
      const text = await answer.text();
      this.lines = text.trimEnd().split("\n").map((line) => JSON.parse(line));
      this.seek(0);
    } else {
      const { error, reason_keys: keys } = await answer.json();
      this.problem = told(error, keys?.[0]);
    }
  }

  /** @returns {FeedState} */
  state() {
    this.#play();
    return this.picture === null ? "waiting" : "fresh";
  }

  /** Core's clock at the moment that is shown, in ms. */
  coreNow() {
    const line = this.line();
    return line === undefined ? null : line.picture.as_of_ms + (this.atMs - line.since_ms);
  }

  /** What stands at the moment that is shown. */
  line() {
    return this.lines[this.#place];
  }

  get lengthMs() {
    return this.lines.at(-1)?.since_ms ?? 0;
  }

  /** @param {number} atMs */
  seek(atMs) {
    this.atMs = Math.max(0, Math.min(this.lengthMs, atMs));
    const next = this.lines.findIndex((line) => line.since_ms > this.atMs);
    const place = next < 0 ? this.lines.length - 1 : Math.max(0, next - 1);
    const line = this.lines[place];
    if (place === this.#place || line === undefined) return;
    this.#place = place;
    speakOf(line.picture.rules.play);
    this.onPicture(line.picture);
    this.picture = line.picture;
    redraw();
  }

  #play() {
    const now = performance.now();
    const passed = now - this.#framed;
    this.#framed = now;
    if (!this.playing) return;
    this.seek(this.atMs + passed * this.speed);
    if (this.atMs >= this.lengthMs) this.playing = false;
  }
}

// What stands out in a game: where rounds begin, where it was paused, where somebody claimed. Pure.

/**
 * @typedef {{ kind: "claim" | "end" | "pause" | "robber" | "round", fromMs: number, toMs: number, round: number }} Mark
 */

/** @param {Api.Picture} picture */
const isPlay = ({ phase }) => phase === "round" || phase === "robber" || phase === "turn";

/**
 * All marks of these lines in their order; a pause has a length.
 * @param {Line[]} lines
 * @returns {Mark[]}
 */
function marksOf(lines) {
  /** @type {Mark[]} */
  const marks = [];
  /** @type {Mark | null} */
  let pause = null;
  /** @type {Api.Picture | null} */
  let before = null;
  let claims = 0;
  for (const { since_ms: at, picture } of lines) {
    const { phase, round, paused } = picture;
    const add = (/** @type {Mark["kind"]} */ kind) => {
      const mark = { kind, fromMs: at, toMs: at, round };
      marks.push(mark);
      return mark;
    };
    const other = before === null || before.phase !== phase || before.round !== round;
    if (other && isPlay(picture)) add(phase === "robber" ? "robber" : "round");
    if (other && phase === "ended") add("end");
    if (pause !== null) pause.toMs = at; // to the line with which it is over
    if (paused && isPlay(picture)) pause ??= add("pause");
    else pause = null;
    if (picture.claims.length > claims) add("claim");
    claims = picture.claims.length;
    before = picture;
  }
  return marks;
}

// The tables' displays beside a game that is seen again: each picture that stands on any of them once, with where it stands, or both of one board.

const TABLES_MS = 600_000; // a long game on a slow computer
const MOST_NAMED = 6; // boards of a picture that are named one by one

/**
 * Puts the panel on the page; `frame` is called with each frame, `open` shows or hides it.
 * @param {ReplayFeed} feed
 */
function replayTables(feed) {
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
    ({ answer: tables, problem } = await answerOf(`/api/games/${encodeURIComponent(game)}/replay/tables`, { unanswered: word("answer_503"), patience: TABLES_MS }));
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

  function chooser() {
    const names = tables?.boards ?? [];
    if (names.length === 0) return nothing;
    return html`<label><span class="only-spoken">${word("board")}</span><select data-is="replay-board" @change=${() => (board = part("replay-board").value)}>
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
  load();
  return { frame, open, isOpen: () => isOpen };
}

// The bar under a game that is seen again: its time with marks, the panel's lamps, and what moves it.

const SPEEDS = [1, 2, 4, 8, 16, 60];
const STEP_MS = 5_000;
const BLINK_MS = 500;
const calm = matchMedia("(prefers-reduced-motion:reduce)"); // then a blinking lamp is lit
const LAMPS = /** @type {const} */ (["sun", "moon", "pause"]);

/**
 * Puts the bar on the page; what it returns is called with each frame.
 * @param {ReplayFeed} feed
 */
export function replayBar(feed) {
  const place = make("aside", "replay-bar");
  document.documentElement.dataset.replay = "";
  const tables = replayTables(feed);
  document.body.append(place);
  /** @type {Mark[]} */
  let marks = [];
  let shown = "";

  function toggle() {
    if (!feed.playing && feed.atMs >= feed.lengthMs) feed.seek(0);
    feed.playing = !feed.playing;
  }

  /** @param {1 | -1} way */
  function jump(way) {
    const moments = marks.map(({ fromMs }) => fromMs);
    const to = way > 0 ? moments.find((at) => at > feed.atMs) : moments.findLast((at) => at < feed.atMs - 1);
    feed.seek(to ?? (way > 0 ? feed.lengthMs : 0));
  }

  /** @type {Record<string, () => void>} */
  const keys = {
    " ": toggle,
    ArrowLeft: () => feed.seek(feed.atMs - STEP_MS),
    ArrowRight: () => feed.seek(feed.atMs + STEP_MS),
    PageUp: () => jump(-1),
    PageDown: () => jump(1),
    Home: () => feed.seek(0),
    End: () => feed.seek(feed.lengthMs),
  };
  addEventListener("keydown", (event) => {
    const act = keys[event.key];
    const inControl = event.target instanceof Element && event.target.closest("button, select") !== null;
    const scrolls = ["ArrowLeft", "ArrowRight"].includes(event.key) && event.target instanceof Element && event.target.closest(".displays") !== null;
    if (act === undefined || scrolls || event.ctrlKey || event.altKey || event.metaKey || (inControl && event.key === " ") || event.target instanceof HTMLSelectElement) return;
    event.preventDefault();
    act();
  });

  /** @param {Mark} mark */
  function markOn({ kind, fromMs, toMs }) {
    const share = (/** @type {number} */ ms) => `${(100 * ms) / Math.max(1, feed.lengthMs)}%`;
    return html`<i class="mark ${kind}" .style=${`left: ${share(fromMs)}; width: ${share(toMs - fromMs)}`}></i>`;
  }

  /** @param {(typeof LAMPS)[number]} name */
  function lamp(name) {
    const line = feed.line();
    const [first, second] = (line?.lamps ?? []).map((lamps) => lamps[name]);
    const away = Math.floor((feed.atMs - (line?.since_ms ?? 0)) / (BLINK_MS * feed.speed)) % 2 === 1; // as often in a second however fast it goes
    const lit = calm.matches ? first === true || second === true : (away ? second : first) === true;
    return html`<span class="lamp ${name} ${lit ? "lit" : ""}" data-is="replay-lamp-${name}">${symbol(name)}<span class="only-spoken">${word(`${name}_lamp`)} ${word(lit ? "on" : "off")}</span></span>`;
  }

  function draw() {
    const moment = word("replay_moment", { at: elapsedText(feed.atMs), length: elapsedText(feed.lengthMs) });
    const { round } = feed.picture ?? { round: 0 };
    render(html`<h2 class="only-spoken">${word("replay_title")}</h2>
      <div class="replay-time">
        <div class="replay-marks" aria-hidden="true">${marks.map(markOn)}</div>
        <input type="range" min="0" max=${feed.lengthMs} step="100" .value=${String(Math.round(feed.atMs))} data-is="replay-slider" aria-label=${word("replay_slider")} aria-valuetext=${moment}
          @input=${(/** @type {Event} */ event) => feed.seek(Number(/** @type {HTMLInputElement} */ (event.currentTarget).value))}>
      </div>
      <div class="replay-acts">
        <button type="button" data-is="replay-before" aria-label=${word("replay_before")} @click=${() => jump(-1)}>◂</button>
        <button type="button" data-is="replay-go" class="go" @click=${toggle}>${word(feed.playing ? "replay_hold" : "replay_go")}</button>
        <button type="button" data-is="replay-after" aria-label=${word("replay_after")} @click=${() => jump(1)}>▸</button>
        <label><span class="only-spoken">${word("replay_speed")}</span><select data-is="replay-speed" @change=${(/** @type {Event} */ event) => { feed.speed = Number(/** @type {HTMLSelectElement} */ (event.currentTarget).value); }}>${SPEEDS.map((speed) => html`<option value=${speed} .selected=${speed === feed.speed}>${speed} ×</option>`)}</select></label>
        <b class="moment" data-is="replay-moment">${moment}</b>
        ${round > 0 ? html`<span class="round">${word("round", { round })}</span>` : nothing}
        <span class="lamps">${LAMPS.map(lamp)}</span>
        <button type="button" data-is="replay-tables" aria-pressed=${tables.isOpen()} @click=${() => tables.open(!tables.isOpen())}>${word("replay_tables")}</button>
        <span class="keys">${word("replay_keys")}</span>
        <a href=${wayTo(`/report/${game}`)}>${word("report_title")}</a>
      </div>
      ${feed.problem === "" ? nothing : html`<p class="problem" role="alert">${feed.problem}</p>`}`, place);
  }

  return () => {
    tables.frame();
    const now = [tables.isOpen(), Math.round(feed.atMs / 100), feed.playing, feed.speed, feed.lines.length, feed.problem, document.documentElement.lang].join(" ");
    if (now === shown) return;
    shown = now;
    if (marks.length === 0) marks = marksOf(feed.lines);
    draw();
  };
}
