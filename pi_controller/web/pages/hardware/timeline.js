// The edges of the last seconds, the last change magnified, and the stamps as a list.

import { html, render, svg } from "../vendor/lit-html/lit-html.js";
import { Edges, ms } from "./edges.js";
import { part, redraw } from "../lib/dom.js";
import { word } from "../lib/words.js";

/** @import { Contact } from "./edges.js" */

// Levels of contacts over time as SVG: a lane for each contact, high when it is closed.

/**
 * @typedef {{ at: number, closed: boolean }} Level
 * @typedef {{ name: string, edges: Level[], now: boolean }} Lane
 */

const WIDTH = 380;
const LANE = 44;
const HIGH = 10;
const LOW = 34;
const NAME = 34;
const FOOT = 22;

/**
 * Levels as an SVG path from `from` to `to` (ms); `edges` oldest first, `now` the level at the end.
 * @param {Level[]} edges
 * @param {{ from: number, to: number, top: number, now: boolean }} frame
 */
function levelPath(edges, { from, to, top, now }) {
  /** @param {number} at */
  const x = (at) => (NAME + ((WIDTH - NAME) * (Math.max(from, Math.min(to, at)) - from)) / (to - from)).toFixed(1);
  /** @param {boolean} closed */
  const y = (closed) => top + (closed ? HIGH : LOW);
  const seen = edges.filter((edge) => edge.at > from && edge.at <= to);
  const first = seen[0];
  const before = first === undefined ? now : !first.closed;
  const steps = seen.map((edge) => `H${x(edge.at)}V${y(edge.closed)}`);
  return `M${NAME} ${y(before)}${steps.join("")}H${WIDTH}`;
}

/**
 * `lanes`: [{name, edges: [{at, closed}], now}]; `ticks`: [[at, text]]; times in ms.
 * @param {Lane[]} lanes
 * @param {{ from: number, to: number, ticks: [number, string][], label: string }} frame
 */
function levelsPlot(lanes, { from, to, ticks, label }) {
  const height = lanes.length * LANE + FOOT;
  const tick = (/** @type {[number, string]} */ [at, words]) => {
    const x = NAME + ((WIDTH - NAME) * (at - from)) / (to - from);
    const anchor = x > WIDTH - 20 ? "end" : x < NAME + 20 ? "start" : "middle";
    return svg`<line x1=${x} x2=${x} y1="4" y2=${height - 20} class="plot-grid"></line><text x=${x} y=${height - 4} class="plot-text" text-anchor=${anchor}>${words}</text>`;
  };
  const lane = (/** @type {Lane} */ { name, edges, now }, /** @type {number} */ index) => {
    const top = index * LANE;
    return svg`<text x="0" y=${top + 27} class="plot-text" text-anchor="start">${name}</text><path class="plot-level" d=${levelPath(edges, { from, to, top, now })}></path>`;
  };
  return html`<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label=${label}>${ticks.map(tick)}${lanes.map(lane)}</svg>`;
}

const SPAN_MS = 10_000;
const LISTED = 12;
const NARROWEST_MS = 4; // a clean edge is not magnified any further
const MARGIN = 0.15; // of the magnified time, on either side

/** @param {Contact} contact */
const name = (contact) => contact.toUpperCase();
/** @param {number} atMs */
const seconds = (atMs) => word("hardware_seconds_exact", { seconds: atMs / 1_000 });

/**
 * @param {Api.Edge} edge
 * @param {Api.Edge | undefined} before
 */
function stampLine({ at_ns: at, contact, closed, trusted }, before) {
  const gap = before === undefined ? "" : word("hardware_millis_exact", { ms: ms(at - before.at_ns) });
  return html`<tr class=${closed ? "closing" : "opening"}><td>${trusted ? "" : "≈ "}${seconds(ms(at))}</td><td>${name(contact)}</td><td>${word(closed ? "hardware_closed" : "hardware_open")}</td><td>${gap}</td></tr>`;
}

/** @param {NonNullable<ReturnType<Edges["lastChange"]>>} change */
function changeText({ contact, edges: { length: count }, bounceMs }) {
  if (count === 1) return word("hardware_last_press_clean", { contact: name(contact) });
  return word("hardware_last_press", { contact: name(contact), count, ms: bounceMs });
}

/** @param {Edges} edges */
function notes({ all, dropped }) {
  const said = [all.length === 0 ? word("hardware_no_edges") : "", dropped > 0 ? word("hardware_dropped", { count: dropped }) : "", all.some((edge) => !edge.trusted) ? word("hardware_untrusted") : ""];
  return said.filter((note) => note !== "").join(" ");
}

/**
 * `fetchFrom(number)` resolves with the edges from this number on, when some were missed.
 * @param {(number: number) => Promise<Pick<Api.Edges, "edges" | "dropped">>} fetchFrom
 */
export function edgesCard(fetchFrom) {
  const edges = new Edges();
  /** @type {number | null} */
  let next = null; // the number of the next edge
  /** @type {Api.Inputs | null} */
  let inputs = null;
  let offset = -Infinity; // the controller's clock less this page's, ms: at least as much as of the quickest news
  let running = false;
  let heard = false; // whether there were news since the page was opened

  function lanes() {
    /** @type {Contact[]} */
    const contacts = inputs?.nc_closed === null ? ["no"] : ["no", "nc"];
    return contacts.map((contact) => ({
      name: name(contact),
      now: inputs?.[`${contact}_closed`] ?? false,
      edges: edges.of(contact).map((edge) => ({ at: ms(edge.at_ns), closed: edge.closed })),
    }));
  }

  function drawSpan() {
    const to = offset + performance.now();
    /** @type {[number, string][]} */
    const ticks = [10, 5, 0].map((n) => [to - n * 1_000, word("hardware_seconds", { seconds: n === 0 ? 0 : -n })]);
    const label = word("hardware_timeline_is", { count: edges.all.length });
    render(levelsPlot(lanes(), { from: to - SPAN_MS, to, ticks, label }), part("timeline"));
  }

  function lastChange() {
    if (!heard) return html`<figure><div class="plot"></div></figure>`;
    const change = edges.lastChange();
    const width = Math.max(NARROWEST_MS, change?.bounceMs ?? 0);
    const begin = change?.beginMs ?? 0;
    const caption = change === null ? word("hardware_no_press") : changeText(change);
    /** @type {[number, string][]} */
    const ticks = [0, width / 2, width].map((at) => [begin + at, word("hardware_millis", { ms: Number(at.toFixed(1)) })]);
    const plot = levelsPlot(lanes(), { from: begin - MARGIN * width, to: begin + (1 + MARGIN) * width, ticks, label: caption });
    return html`<figure><figcaption data-is="press-caption">${caption}</figcaption><div class="plot">${plot}</div></figure>`;
  }

  function tick() {
    if (!running) return;
    drawSpan();
    requestAnimationFrame(tick);
  }

  return {
    begin() {
      edges.clear();
      [inputs, next, offset, running] = [null, null, -Infinity, true];
    },
    end() {
      running = false;
    },
    /** @param {Api.TestNews} test */
    async take(test) {
      heard = true;
      inputs = test.inputs ?? inputs;
      const came = test.edges ?? [];
      const after = test.next ?? null; // goes with edges
      const missed = next !== null && after !== null && came.length > 0 && after - came.length > next;
      const { edges: whole, dropped } = missed && next !== null ? await fetchFrom(next) : { edges: came, dropped: 0 };
      next = came.length > 0 ? after : next;
      edges.add(whole, dropped);
      const first = offset === -Infinity;
      if (inputs !== null) offset = Math.max(offset, ms(inputs.now_ns) - performance.now());
      redraw();
      if (first && offset !== -Infinity) tick();
    },
    draw() {
      const last = edges.all.slice(-LISTED - 1);
      const lines = last.map((edge, index) => stampLine(edge, last[index - 1]));
      return html`<section class="card edges-card">
        <header class="card-head"><h2>${word("hardware_edges")}</h2><button type="button" @click=${() => edges.clear()}>${word("hardware_clear")}</button></header>
        <div class="plots">
          <figure><figcaption>${word("hardware_last_seconds")}</figcaption><div class="plot" data-is="timeline"></div></figure>
          ${lastChange()}
        </div>
        <p class="hint" data-is="edges-note">${heard ? notes(edges) : ""}</p>
        <div class="table-box"><table class="stamps" ?hidden=${lines.length === 0}>
          <thead><tr><th>${word("hardware_stamp")}</th><th>${word("hardware_contact")}</th><th>${word("hardware_level")}</th><th>${word("hardware_since")}</th></tr></thead>
          <tbody>${lines.slice(-LISTED).reverse()}</tbody>
        </table></div>
      </section>`;
    },
  };
}
