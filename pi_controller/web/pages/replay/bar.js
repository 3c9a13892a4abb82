// The bar under a game that is seen again: its time with marks, the panel's lamps, and what moves it.

import { html, nothing, render } from "../vendor/lit-html/lit-html.js";
import { wayTo } from "../components/language.js";
import { symbol } from "../components/symbol.js";
import { make } from "../dom.js";
import { clockText } from "../report/times.js";
import { word } from "../words.js";
import { game } from "./feed.js";
import { marksOf } from "./marks.js";
import { replayTables } from "./tables.js";

/**
 * @import { ReplayFeed } from "./feed.js"
 * @import { Mark } from "./marks.js"
 */

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
    const moment = word("replay_moment", { at: clockText(feed.atMs), length: clockText(feed.lengthMs) });
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
