// New firmware for the tables over their cables: what runs where, who consents, how far it is, what became of each.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { once, symbol } from "../lib/components.js";
import { part, redraw } from "../lib/dom.js";
import { answerOf } from "../lib/feed.js";
import { sparesOf } from "../lib/tables.js";
import { word } from "../lib/words.js";

/**
 * @import { KnownHub } from "../lib/hall_map.js"
 * @typedef {Selftest.FirmwareView} Firmware
 * @typedef {Selftest.FirmwareSegment} OnSegment
 */

const LOOK_MS = { while: 500, otherwise: 5_000 };
const GOES_ON = ["building", "asking", "working"];
const MOST_NAMED = 12;
const FETCHED = 0.8; // so much of a table's way is over when it has all of it; the rest is its trial

const PATH = "/api/firmware";

/** @param {string[]} boards */
const named = (boards) => [...boards.slice(0, MOST_NAMED), ...(boards.length > MOST_NAMED ? [`+${boards.length - MOST_NAMED}`] : [])].join(" ");

/** @param {OnSegment} segment */
function percentOf({ nodes, done, part: got, parts }) {
  const fetched = parts > 0 ? (FETCHED * got) / parts : 0;
  return Math.round((100 * (done + (nodes - done) * fetched)) / nodes);
}

/**
 * What runs on the nodes, that of most tables first: version, names of their boards as they stand.
 * @param {KnownHub} hub
 * @returns {[string, string[]][]}
 */
function versionsIn({ boards, roster, snapshot }) {
  /** @type {Map<string, string[]>} */
  const found = new Map();
  const add = (/** @type {string} */ name, /** @type {Api.NodeView} */ { firmware }) => found.set(firmware, [...(found.get(firmware) ?? []), name]);
  for (const { name, node } of boards) if (node !== null) add(name, node);
  for (const node of sparesOf(roster, snapshot)) add(node.uid.slice(-4), node);
  return [...found].sort(([, one], [, other]) => other.length - one.length);
}

/** The card; nothing where no table nodes are configured. */
export function firmwareCard() {
  /** @type {Firmware | null} */
  let known = null;
  let mistake = "";
  let typed = "";
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let next;

  /** @param {boolean} [soon] look again soon in any case */
  async function look(soon = false) {
    clearTimeout(next);
    const { answer } = await answerOf(PATH);
    known = answer ?? known;
    next = setTimeout(look, LOOK_MS[soon || GOES_ON.includes(known?.state ?? "") ? "while" : "otherwise"]);
    redraw();
  }

  /** @param {{ do: "begin" | "consent" | "stop" }} body */
  async function act(body) {
    ({ problem: mistake } = await answerOf(PATH, { body }));
    typed = "";
    await look(true);
  }

  const button = (/** @type {"begin" | "consent" | "stop"} */ deed, /** @type {string} */ text, look = "", off = false) =>
    html`<button type="button" class=${look} data-is="firmware-${deed}" ?disabled=${off} @click=${once(() => act({ do: deed }))}>${text}</button>`;

  /**
   * @param {KnownHub} hub
   * @param {Firmware} now
   */
  function running(hub, { version }) {
    const found = versionsIn(hub);
    const old = found.filter(([one]) => one !== version).flatMap(([, boards]) => boards);
    const line = (/** @type {[string, string[]]} */ [one, boards]) => html`<li data-current=${one === version}>
      <b>${one}</b><span>${word("firmware_tables", { count: boards.length })}</span>${one === version ? symbol("seal") : html`<span class="hint">${named(boards)}</span>`}</li>`;
    return html`
      <p class="hint">${old.length === 0 && found.length > 0 ? word("firmware_current", { version }) : word("firmware_this", { version })}</p>
      <ul class="versions" data-is="firmware-versions">${found.map(line)}</ul>
      ${old.length === 0 ? nothing : html`<p>${word("firmware_help")}</p><div class="row">${button("begin", word("firmware_begin", { version }), "strong")}</div>`}`;
  }

  /** @param {Firmware} now */
  function asking({ board, left_s: seconds }) {
    const yes = word("firmware_yes");
    const agreed = typed.trim().toLowerCase() === yes.toLowerCase();
    const send = (/** @type {SubmitEvent} */ event) => {
      event.preventDefault();
      if (agreed) act({ do: "consent" });
    };
    return html`
      <div class="firmware-call" role="status"><p>${word("firmware_press")}</p><b>${board}</b><p class="hint">${word("firmware_left", { seconds })}</p></div>
      <form class="fields" @submit=${send}>
        <label><span>${word("firmware_or_type", { word: yes })}</span><input data-is="firmware-typed" autocomplete="off" autocapitalize="none" .value=${typed} @input=${() => (typed = part("firmware-typed").value)}></label>
        <button class="strong" data-is="firmware-consent" ?disabled=${!agreed}>${word("firmware_go")}</button>
        ${button("stop", word("cancel"))}
      </form>`;
  }

  /** @param {OnSegment} segment */
  function line(segment) {
    const percent = percentOf(segment);
    const { name, done, nodes } = segment;
    const called = word("segment", { segment: name });
    return html`<li><b>${called}</b><span>${word("firmware_done", { done, nodes })}</span>
      <span class="bar" role="progressbar" aria-label=${called} aria-valuenow=${percent}><span class="bar-fill" .style=${`width: ${percent}%`}></span></span></li>`;
  }

  /** @param {Firmware} now */
  const working = ({ state, segments }) => html`
    <p role="status">${word(state === "building" ? "firmware_making" : "firmware_leave")}</p>
    <ul class="firmware-segments" data-is="firmware-segments">${segments.map(line)}</ul>
    <div class="row">${button("stop", word("firmware_stop"))}</div>`;

  /** @param {Firmware} now */
  const result = ({ outcomes, reason }) => html`
    ${reason === null ? nothing : html`<p class="warn" data-is="firmware-reason">${reason}</p>`}
    <ul class="firmware-ends" data-is="firmware-ends">${outcomes.map(({ end, boards, text }) => html`<li data-well=${end === "updated"}>${symbol(end === "updated" ? "seal" : "warning")}<p><b>${named(boards)}</b> ${text}</p></li>`)}</ul>`;

  /**
   * @param {KnownHub} hub
   * @param {Firmware} now
   */
  function body(hub, now) {
    if (now.state === "asking") return asking(now);
    if (GOES_ON.includes(now.state)) return working(now);
    return html`${now.state === "done" ? result(now) : nothing}${running(hub, now)}`;
  }

  look();
  return (/** @type {KnownHub} */ hub) => (known === null || hub.snapshot.segments.length === 0
    ? nothing
    : html`<section class="card firmware-card" data-is="firmware-card" data-state=${known.state}>
        <h2>${word("firmware_title")}</h2>
        ${body(hub, known)}
        <p class="mistake" data-is="firmware-mistake" role="alert">${mistake}</p>
      </section>`);
}
