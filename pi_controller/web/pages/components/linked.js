// The other halls of the game, on the staff's pages: a line where the link is not well, and a card with each hall.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { wallOf } from "../clock.js";
import { linkNews } from "../reading.js";
import { leaderText } from "../screen_texts.js";
import { linkTexts } from "../texts.js";
import { timeText, told, word } from "../words.js";
import { factList } from "./list.js";
import { symbol } from "./symbol.js";

/** @typedef {Pick<Api.Picture, "as_of_ms" | "claims" | "link">} Picture */

const BETWEEN = "/"; // the names of a hall and of its board

/** @param {Api.LinkView} link */
const leaderOrTrouble = (link) => (link.role === "leader" && leaderText(link)) || told("", link.trouble);

/**
 * What is wrong with the link, for who must know at a glance; nothing where all is well. `way` leads to where something can be done.
 * @param {Picture | null} picture
 * @param {number | null} coreNow
 * @param {unknown} way
 */
export function linkLine(picture, coreNow, way = nothing) {
  const [said, ...more] = picture === null || coreNow === null ? [] : linkTexts(picture, coreNow);
  if (picture?.link) more.push(leaderOrTrouble(picture.link));
  return html`<p class="link-line" data-is="link-line" data-link=${picture === null || coreNow === null ? "" : linkNews(picture, coreNow)} role="status" ?hidden=${said === undefined}>
    ${said === undefined ? nothing : html`${symbol(picture?.link?.role === "leader" ? "warning" : "link")}<span><b>${said}</b> ${more.filter(Boolean).join(" · ")}</span>${way}`}</p>`;
}

/**
 * Who directs a game that is another hall's; nothing in that hall, and where each hall plays for itself.
 * @param {Picture | null} picture
 */
export function directedLine(picture) {
  const link = picture?.link ?? null;
  if (link === null || link.role === "leader" || link.heard_ms === null) return nothing;
  return html`<p class="directed" data-is="directed" role="status">${link.lost_ms === null ? nothing : symbol("link")}<span><b>${word("link_directed", { hall: link.leader ?? "?" })}</b> ${link.lost_ms === null ? word("link_directed_help") : nothing}</span></p>`;
}

/** @param {number} coreNow */
const timeOf = (coreNow) => (/** @type {number} */ ms) => timeText(wallOf(ms, coreNow));

/**
 * @param {Picture} picture
 * @param {Api.HallView} hall
 * @param {number} coreNow
 */
function hallLine({ claims }, { hall, online, software, source, boards, away_ms: away }, coreNow) {
  const count = claims.filter(({ board }) => board?.startsWith(hall + BETWEEN)).length;
  const state = online || away === null ? word("hall_online") : word("hall_away", { time: timeOf(coreNow)(away) });
  const facts = [boards > 0 ? word("hall_boards", { count: boards }) : "", word("hall_claims", { count }), software === "" ? "" : word("hall_software", { software: `${software} ${source ?? ""}`.trim() })];
  return html`<li class="hall-line" data-hall=${hall} data-online=${online}><b>${hall}</b><span class="hall-state">${symbol(online ? "node-good" : "warning")}<span>${state}</span></span><span class="hint">${facts.filter(Boolean).join(" · ")}</span></li>`;
}

/**
 * Of a leader each further hall.
 * @param {Picture} picture
 * @param {Api.LinkView} link
 * @param {number} coreNow
 */
const hallsOfLeader = (picture, link, coreNow) =>
  link.halls.length === 0 ? html`<p class="hint">${word("halls_none")}</p>` : html`<ul class="hall-lines">${link.halls.map((hall) => hallLine(picture, hall, coreNow))}</ul>`;

/**
 * How well a follower knows the leader's clock, when it heard last, and what waits.
 * @param {Api.LinkView} link
 * @param {number} coreNow
 */
function factsOfFollower({ error_ms: error, lost_ms: lost, heard_ms: heard, waiting }, coreNow) {
  const news = heard === null ? word("link_never") : lost === null ? word("link_just_now") : timeOf(coreNow)(lost);
  return [
    { name: word("link_news"), text: news, look: heard === null || lost !== null },
    { name: word("link_clock"), text: error === null ? word("not_measured") : word("link_within", { ms: error }) },
    { name: word("link_waiting"), text: word("link_waiting_count", { count: waiting }), look: waiting > 0 },
  ];
}

/**
 * The card of the halls, with what is to be decided there; nothing where a hall plays for itself.
 * @param {Picture | null} picture
 * @param {number | null} coreNow
 * @param {unknown} decision
 */
export function hallsCard(picture, coreNow, decision = nothing) {
  const link = picture?.link ?? null;
  if (picture === null || link === null || coreNow === null) return nothing;
  const trouble = told("", link.trouble);
  const facts = [
    { name: word("link_this_hall"), text: linkNews(picture, coreNow) === "refused" ? link.hall : `${link.hall} · ${word(`link_role_${link.role}`)}` },
    { name: word("link_state"), text: word(`link_state_${link.state}`), look: !["leading", "following"].includes(link.state) },
    { name: word("link_leader"), text: link.leader ?? "–" },
    { name: word("link_term"), text: String(link.term) },
    ...(link.role === "follower" ? factsOfFollower(link, coreNow) : []),
  ];
  return html`<section class="card halls-card" data-is="halls-card">
    <h2>${word("halls_title")}</h2>
    ${decision}
    ${link.role === "leader" ? hallsOfLeader(picture, link, coreNow) : nothing}
    ${factList("link-facts", "link-fact", facts)}
    ${trouble === "" ? nothing : html`<p class="warn">${trouble}</p>`}
  </section>`;
}
