// The bus: what is to be done about it, on top of everything; each segment with its port and counters; the nodes that
// stand at no board.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { repeat } from "../vendor/lit-html/directives/repeat.js";
import { once } from "../components/actions.js";
import { factList, signedLines } from "../components/list.js";
import { symbol } from "../components/symbol.js";
import { sparesOf } from "../tables/reading.js";
import { allTold, numberText, told, word } from "../words.js";
import { tripText } from "./facts.js";

/**
 * @import { TableActions } from "../technician.js"
 * @import { KnownHub } from "../tables/hub.js"
 */

const MOST_SEEN = 4; // so many sentences leave the map in sight; the others are folded away
const IDENTIFY_S = 10;

/** @param {KnownHub} hub */
export function diagnosisCard({ snapshot: { segments, doctor, doctor_keys: keys } }) {
  const troubles = [...segments.flatMap(({ sentence, sentence_key: key }) => told(sentence, key) ?? []), ...allTold(doctor, keys)];
  const well = troubles.length === 0;
  const lines = signedLines(well ? "seal" : "warning", well ? [word("doctor_well")] : troubles);
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
export function segmentsCard({ snapshot: { segments, nodes } }) {
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
export function sparesCard({ roster, snapshot }, actions) {
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
