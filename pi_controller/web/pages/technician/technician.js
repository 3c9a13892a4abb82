// The technician's page: what the tables say, and what can be done to them.

import { repeat } from "../vendor/lit-html/directives/repeat.js";
import { html, nothing, render } from "../vendor/lit-html/lit-html.js";
import { Actions, factList, once, options, soundCard, symbol } from "../lib/components.js";
import { drawBy, part, redraw } from "../lib/dom.js";
import { Feed, jsonOf } from "../lib/feed.js";
import { HallMap, TablesHub } from "../lib/hall_map.js";
import { hallsCard, technicianHead } from "../lib/head.js";
import { settingsCard } from "../lib/settings_card.js";
import { sparesOf, standingsOf } from "../lib/tables.js";
import { allTold, numberText, told, word } from "../lib/words.js";
import { detailsCard, tripText } from "./board.js";
import { firmwareCard } from "./firmware.js";
import { rosterCard } from "./roster.js";

/**
 * @import { KnownHub } from "../lib/hall_map.js"
 * @import { Board } from "../lib/tables.js"
 */

// The bus: what is to be done about it, on top of everything; each segment with its port and counters; the nodes that
// stand at no board.

const MOST_SEEN = 4; // so many sentences leave the map in sight; the others are folded away
const IDENTIFY_S = 10;

/** @param {KnownHub} hub */
function diagnosisCard({ snapshot: { segments, doctor, doctor_keys: keys } }) {
  const troubles = [...segments.flatMap(({ sentence, sentence_key: key }) => told(sentence, key) ?? []), ...allTold(doctor, keys)];
  const well = troubles.length === 0;
  const lines = (well ? [word("doctor_well")] : troubles).map((text) => html`<li>${symbol(well ? "seal" : "warning")}<span>${text}</span></li>`);
  const more = lines.length - MOST_SEEN;
  return html`<section class="card doctor" data-well=${well} ?hidden=${segments.length === 0 && well}>
    <h2>${word("doctor_title")}</h2>
    <ul data-is="doctor">${lines.slice(0, MOST_SEEN)}</ul>
    <details ?hidden=${more <= 0}>
      <summary>${word("doctor_more", { count: more })}</summary>
      <ul data-is="doctor-rest">${lines.slice(MOST_SEEN)}</ul>
    </details>
  </section>`;
}

/** @param {number} busy */
function busyText(busy) {
  const n = Math.round(busy * 100);
  return html`${word("per_cent", { percent: n })}<span class="bar"><span class="bar-fill" .style=${`width: ${n}%`}></span></span>`;
}

/**
 * @param {Api.SegmentView} segment
 * @param {Api.NodeView[]} nodes
 */
function segmentLine(segment, nodes) {
  const well = segment.link === "open" && segment.sentence === null;
  const good = nodes.filter((node) => node.state === "good").length;
  const rare = /** @type {const} */ (["collisions", "echoes", "reopened"]).filter((key) => segment[key] > 0);
  const count = (/** @type {number} */ number) => numberText(number, ",");
  const figures = [
    { name: word("column_nodes"), text: `${good}/${nodes.length}`, look: good < nodes.length },
    { name: word("column_busy"), text: busyText(segment.busy) },
    { name: word("column_polls"), text: count(segment.good) },
    { name: word("column_missed"), text: count(segment.missed) },
    { name: word("column_crc"), text: count(segment.crc_errors), look: segment.crc_errors > 0 },
    { name: word("column_trip"), text: tripText(segment.round_trip_ms) },
    ...rare.map((key) => ({ name: word(`column_${key}`), text: count(segment[key]), look: key !== "echoes" })),
  ];
  return html`<li class="segment">
    <div class="segment-head">
      <h3>${word("segment", { segment: segment.name })}</h3>
      <span class="link ${well ? "well" : "ill"}">${symbol(well ? "node-good" : "warning")}<span>${word(`link_${segment.link}`)}</span></span>
      <span class="port">${segment.port} · ${word("baud_rate", { baud: segment.baud })}</span>
    </div>
    ${segment.sentence === null ? nothing : html`<p class="mistake">${told(segment.sentence, segment.sentence_key)}</p>`}
    ${factList("figures", "figure", figures)}
  </li>`;
}

/** @param {KnownHub} hub */
function segmentsCard({ snapshot: { segments, nodes } }) {
  const none = html`<div class="empty"><b>${word("no_segments")}</b><p>${word("no_segments_help")}</p></div>`;
  return html`<section class="card segments-card">
    <h2>${word("segments_title")}</h2>
    <ul class="segments">${segments.map((segment) => segmentLine(segment, nodes.filter((node) => node.segment === segment.name)))}</ul>
    ${segments.length === 0 ? none : nothing}
  </section>`;
}

/**
 * Nodes that stand at no board: the spares, and those that nobody has enrolled yet.
 * @param {KnownHub} hub
 * @param {TableActions} actions
 */
function sparesCard({ roster, snapshot }, actions) {
  const line = (/** @type {Api.NodeView} */ { uid, state, segment, address }) => html`<li class="spare">
    <span class="spare-glyph" data-node=${state}>${symbol(`node-${state}`)}</span>
    <span class="spare-uid">${uid}</span>
    <span class="hint">${word("segment", { segment })} · ${word("spare_address", { address })} · ${word(`node_${state}`)}</span>
    <button type="button" aria-label=${word("spare_identify", { uid })} @click=${once(() => actions.do("identify", { uid, seconds: IDENTIFY_S }))}>${word("identify")}</button>
  </li>`;
  return html`<section class="card spares-card">
    <h2>${word("spares_title")}</h2>
    <ul class="spares" data-none=${word("spares_none")}>${repeat(sparesOf(roster, snapshot), ({ uid }) => uid, line)}</ul>
    <div class="row" ?hidden=${snapshot.nodes.length === 0}><button type="button" @click=${once(() => actions.do("identify", { seconds: IDENTIFY_S }))}>${word("identify_all")}</button></div>
  </section>`;
}

// Walking a row: which board is to be pressed now, in letters that are read at arm's length, and how far it has got.

const BUZZ_MS = 80;

/**
 * @param {Api.EnrolmentView} walk
 * @param {Api.Board[]} boards
 * @param {TableActions} actions
 */
function walkBody({ row, done, next_board: next }, boards, actions) {
  const step = (/** @type {Api.Board} */ { name }) => html`<li class=${done.includes(name) ? "done" : name === next ? "now" : ""} title=${name}></li>`;
  return html`
    <p class="walk-row">${word("enrol_row_is", { row })}</p>
    <div class="walk-call">
      <p class="walk-press">${word("enrol_press")}</p>
      <p class="walk-board" data-is="walk-board" .style=${`--letters: ${next.length}`}>${next}</p>
      <p class="walk-now">${word("enrol_now")}</p>
    </div>
    <p class="walk-last">${done.length > 0 ? word("enrol_last", { board: done.at(-1) ?? "" }) : ""}</p>
    <ol class="walk-steps">${boards.map(step)}</ol>
    <p class="walk-progress">${word("enrol_progress", { done: done.length, all: boards.length })}</p>
    <button type="button" class="walk-stop" @click=${once(() => actions.do("stop_enrolment"))}>${word("enrol_stop")}</button>`;
}

/**
 * The walk that goes on, over everything else; a press that has come is felt.
 * @param {TableActions} actions
 */
function walkView(actions) {
  let felt = 0;
  return (/** @type {KnownHub | null} */ hub) => {
    const walk = hub?.snapshot.enrolment ?? null;
    const now = walk?.done.length ?? 0;
    if (now > felt && navigator.userActivation?.hasBeenActive) navigator.vibrate?.(BUZZ_MS);
    felt = now;
    const boards = hub?.roster.rows.find(({ name }) => name === walk?.row)?.boards ?? [];
    document.body.classList.toggle("walking", walk !== null);
    return html`<section class="walk" data-is="walk" aria-live="polite" ?hidden=${walk === null}>${walk === null ? nothing : walkBody(walk, boards, actions)}</section>`;
  };
}

/**
 * Where a walk is to begin.
 * @param {TableActions} actions
 */
function enrolmentCard(actions) {
  /** @type {string | null} */
  let row = null; // null: the first one

  function start() {
    const from = part("enrol-from").value;
    return actions.do("enrol", { row: part("enrol-row").value, ...(from === "" ? {} : { board: from }) });
  }

  return (/** @type {KnownHub} */ { roster: { rows }, snapshot }) => {
    const off = rows.length === 0 || snapshot.enrolment !== null;
    const { boards } = rows.find(({ name }) => name === row) ?? rows[0] ?? { boards: [] };
    /** @type {[string, string][]} */
    const starts = boards.map(({ name }) => [name, name]);
    return html`<section class="card enrol-card">
      <h2>${word("enrol_title")}</h2>
      <p class="hint">${word("enrol_help")}</p>
      <div class="fields">
        <label><span>${word("enrol_row")}</span><select data-is="enrol-row" ?disabled=${off} @input=${() => (row = part("enrol-row").value)}>${options(rows.map(({ name }) => [name, word("row", { row: name })]))}</select></label>
        <label><span>${word("enrol_from")}</span><select data-is="enrol-from" ?disabled=${off}>${options([["", word("enrol_from_first")], ...starts])}</select></label>
        <button type="button" class="strong" data-is="enrol-start" ?disabled=${off} @click=${once(start)}>${word("enrol_start")}</button>
      </div>
    </section>`;
  };
}

/** @typedef {Actions<Api.TableAction["do"], Omit<Api.TableAction, "do">>} TableActions */

const feed = new Feed();
const sound = soundCard(feed, { tests: true });
const settings = settingsCard();
const hub = new TablesHub();
/** @type {TableActions} */
const actions = new Actions("/api/tables", () => hub.fetchRoster());
const details = detailsCard(actions, decodeURIComponent(location.hash.slice(1)));
const enrolment = enrolmentCard(actions);
const walk = walkView(actions);
const roster = rosterCard(hub);
const firmware = firmwareCard();
const map = new HallMap({ size: "large", onChoose: (name) => details.choose(name) });

let software = "";

/** @param {Board[]} boards */
const summary = (boards) => html`<ul class="summary">${standingsOf(boards).map(([standing, those]) => html`
  <li class="pill" data-node=${standing}>${symbol(`node-${standing}`)}<b>${those.length}</b><span>${word(`node_${standing}`)}</span></li>`)}</ul>`;

/** @param {KnownHub} known */
function mapCard(known) {
  const none = known.boards.length === 0;
  const marks = { chosen: details.chosen, next: known.snapshot.enrolment?.next_board };
  return html`<section class="card map-card">
    <h2>${word("hall_map")}</h2>
    <p class="hint" ?hidden=${none}>${word("map_help")}</p>
    <div data-is="map" ?hidden=${none}>${map.draw(known, marks)}</div>
    ${none ? html`<div class="empty" data-is="no-roster"><b>${word("no_roster")}</b><p>${word("no_roster_help")}</p><button type="button" class="strong" @click=${roster.edit}>${word("no_roster_go")}</button></div>` : nothing}
  </section>`;
}

/** @param {KnownHub} known */
const cards = (known) => html`
  ${diagnosisCard(known)}${mapCard(known)}<div class="beside-map">${details.draw(known)}</div>${segmentsCard(known)}${enrolment(known)}
  ${sparesCard(known, actions)}${firmware(known)}${roster.draw(known)}${sound()}`;

function draw() {
  const { known } = hub;
  document.body.dataset.open = String(hub.open);
  const page = html`
    ${technicianHead({ path: "/technician", feed, lost: !hub.open, summary: summary(hub.boards) })}
    ${walk(known)}
    <main>${known === null ? nothing : cards(known)}${settings()}${hallsCard(feed.picture, feed.coreNow())}</main>
    <footer class="hint" data-is="software">${software}</footer>
    ${actions.draw()}`;
  render(page, document.body);
  if (known !== null) map.follow(part("map"));
}

drawBy(draw);
const session = await jsonOf("/api/session");
if (session !== null) software = word("software", { version: session.software.version, source: session.software.source || "–" });
redraw();
