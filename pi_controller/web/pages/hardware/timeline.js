// The edges of the last seconds, the last change magnified, and the stamps as a list.

import { make, part, setText, show } from "../dom.js";
import { word } from "../words.js";
import { Edges, ms } from "./edges.js";
import { drawLevels } from "./plots.js";

/** @import { Contact } from "./edges.js" */

const SPAN_MS = 10_000;
const LISTED = 12;
const NARROWEST_MS = 4; // a clean edge is not magnified any further
const MARGIN = 0.15; // of the magnified time, on either side

/** @param {Contact} contact */
const name = (contact) => contact.toUpperCase();
/** @param {number} atMs */
const seconds = (atMs) => word("hwSeconds", { n: (atMs / 1_000).toFixed(4) });
/** @param {boolean} closed */
const level = (closed) => word(closed ? "hwClosed" : "hwOpen");

/**
 * @param {Api.Edge} edge
 * @param {Api.Edge | undefined} before
 */
function stampLine(edge, before) {
  const gap = before === undefined ? "" : word("hwMillis", { n: ms(edge.at_ns - before.at_ns).toFixed(3) });
  const at = seconds(ms(edge.at_ns));
  return make("tr", edge.closed ? "closing" : "opening", [make("td", "", (edge.trusted ? "" : "≈ ") + at), make("td", "", name(edge.contact)), make("td", "", level(edge.closed)), make("td", "", gap)]);
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

  /** @returns {Contact[]} */
  const contacts = () => (inputs?.nc_closed === null ? ["no"] : ["no", "nc"]);
  /** @param {Contact} contact */
  const lane = (contact) => ({
    name: name(contact),
    now: inputs?.[`${contact}_closed`] ?? false,
    edges: edges.of(contact).map((edge) => ({ at: ms(edge.at_ns), closed: edge.closed })),
  });

  function drawSpan() {
    const to = offset + performance.now();
    /** @type {[number, string][]} */
    const ticks = [10, 5, 0].map((n) => [to - n * 1_000, word("hwSeconds", { n: n === 0 ? 0 : -n })]);
    const label = word("hwTimelineIs", { n: edges.all.length });
    drawLevels(part("timeline"), contacts().map(lane), { from: to - SPAN_MS, to, ticks, label });
  }

  function drawChange() {
    const change = edges.lastChange();
    const width = Math.max(NARROWEST_MS, change?.bounceMs ?? 0);
    const begin = change?.beginMs ?? 0;
    const caption = change === null ? word("hwNoPress") : word("hwLastPress", { contact: name(change.contact), edges: change.edges.length, ms: change.bounceMs.toFixed(2) });
    setText(part("press-caption"), caption);
    /** @type {[number, string][]} */
    const ticks = [0, width / 2, width].map((at) => [begin + at, word("hwMillis", { n: Number(at.toFixed(1)) })]);
    drawLevels(part("press"), contacts().map(lane), { from: begin - MARGIN * width, to: begin + (1 + MARGIN) * width, ticks, label: caption });
  }

  function drawList() {
    const last = edges.all.slice(-LISTED - 1);
    const lines = last.map((edge, index) => stampLine(edge, last[index - 1]));
    part("edges").replaceChildren(...lines.slice(-LISTED).reverse());
    show(part("stamps"), lines.length > 0);
    const notes = [edges.all.length === 0 ? word("hwNoEdges") : "", edges.dropped > 0 ? word("hwDropped", { n: edges.dropped }) : "", edges.all.some((edge) => !edge.trusted) ? word("hwUntrusted") : ""];
    setText(part("edges-note"), notes.filter((note) => note !== "").join(" "));
  }

  function draw() {
    drawChange();
    drawList();
    drawSpan();
  }

  function tick() {
    if (!running) return;
    drawSpan();
    requestAnimationFrame(tick);
  }

  part("edges-clear").type = "button";
  part("edges-clear").addEventListener("click", () => {
    edges.clear();
    draw();
  });

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
      inputs = test.inputs ?? inputs;
      const came = test.edges ?? [];
      const after = test.next ?? null; // goes with edges
      const missed = next !== null && after !== null && came.length > 0 && after - came.length > next;
      const { edges: whole, dropped } = missed && next !== null ? await fetchFrom(next) : { edges: came, dropped: 0 };
      next = came.length > 0 ? after : next;
      edges.add(whole, dropped);
      const first = offset === -Infinity;
      if (inputs !== null) offset = Math.max(offset, ms(inputs.now_ns) - performance.now());
      draw();
      if (first && offset !== -Infinity) tick();
    },
  };
}
