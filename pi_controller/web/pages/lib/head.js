// What stands at the heads of the staff's pages: ways and troubles, the other halls of the game, a small view of this one.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { wallOf } from "./clock.js";
import { factList, languageMenu, roll, symbol, themeButton, transportWarning } from "./components.js";
import { clockMs, countInText, digitsText, linkNews, sceneOf } from "./reading.js";
import { NOBODY, namedSeat } from "./seats.js";
import { COVERS, beginsText, firstTrouble, isOld, leaderText, linkTexts, reasonTexts, sceneTitle, turnText, winnerTexts } from "./texts.js";
import { allTold, timeText, told, wayTo, word } from "./words.js";

/**
 * @import { Feed } from "./feed.js"
 * @import { Scene } from "./reading.js"
 */

// The other halls of the game, on the staff's pages: a line where the link is not well, and a card with each hall.

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

// What stands at the head of pages: the ways to the others, whether news are coming, what is wrong with the controller.

const TABS = /** @type {const} */ ([
  ["/technician", "tab-map", "tab_map"],
  ["/technician/selftest", "tab-selftest", "tab_selftest"],
  ["/technician/hardware", "tab-hardware", "tab_hardware"],
]);

/** @param {Feed} feed */
function troubleText({ why, picture }) {
  if (why !== "") return word("not_started", { why });
  if (picture === null || firstTrouble(picture.health).level !== "fault") return "";
  return word("fault", { messages: allTold(picture.health.messages, picture.health.items).join(" ") });
}

/**
 * A fault of the controller, or why it does not start.
 * @param {Feed} feed
 */
export function trouble(feed) {
  const text = troubleText(feed);
  return html`<p class="trouble" data-is="trouble" role="alert" ?hidden=${text === ""}>${text === "" ? nothing : html`${symbol("warning")}<span>${text}</span>`}</p>`;
}

/**
 * The head of the technician's pages.
 * @param {{ path: (typeof TABS)[number][0], feed: Feed, lost?: boolean, summary?: unknown }} page
 */
export function technicianHead({ path, feed, lost = false, summary = nothing }) {
  return html`<header class="top">
    ${transportWarning()}
    <h1>${word("technician_title")}</h1>
    <nav class="tabs" aria-label=${word("tabs_label")}>${TABS.map(([to, sign, key]) => html`
      <a href=${wayTo(to)} aria-current=${to === path ? "page" : nothing}>${symbol(sign)}<span>${word(key)}</span></a>`)}</nav>
    ${summary}
    <nav class="ways"><a href=${wayTo("/")}>${word("to_hall")}</a><a href=${wayTo("/director")}>${word("to_director")}</a>${languageMenu()}${themeButton()}</nav>
    <p class="lost" data-is="lost" role="status" ?hidden=${!lost}>${symbol("link")}<span><b>${word("tables_lost")}</b> ${word("tables_lost_help")}</span></p>
    ${linkLine(feed.picture, feed.coreNow())}
    ${trouble(feed)}
  </header>`;
}

// A small view of the hall for the director's page and the virtual hall: phase, roll, countdown, or that news is missing.

/**
 * @param {Api.Picture} picture
 * @param {Scene} scene
 */
function detail(picture, scene) {
  if (scene === "pause") return `${reasonTexts(picture).join(". ")}.`;
  if (scene === "ended") return picture.winners.map((winner) => winner.board ?? winnerTexts(picture, winner).who).join(", ") || word("no_winner");
  if (scene === "collecting") return picture.ranking.length === 0 ? word("ranking_empty") : `1. ${winnerTexts(picture, /** @type {Api.RankedView} */ (picture.ranking[0])).who}`;
  if (scene === "play") return turnText(picture);
  return scene === "ready" ? beginsText(picture) : "";
}

/**
 * @param {Api.Picture} picture
 * @param {Scene} scene
 * @param {number} coreNow
 */
function digits(picture, scene, coreNow) {
  if (scene === "countin") return countInText(picture, coreNow);
  if (scene === "pause") return word("seconds_left", { seconds: clockMs(picture, coreNow) / 1_000 });
  return scene === "play" ? digitsText(picture, coreNow) : "";
}

/**
 * The hall as this feed knows it now.
 * @param {Feed} feed
 */
export function liveView(feed) {
  const state = feed.state();
  const [picture, coreNow] = [feed.picture, feed.coreNow()];
  if (picture === null || coreNow === null || state !== "fresh") {
    return html`<div class="live"><div class="live-cover">${word(COVERS[state === "fresh" ? "waiting" : state][0])}</div></div>`;
  }
  if (linkNews(picture, coreNow) === "none") return html`<div class="live"><div class="live-cover">${word("link_none")}</div></div>`;
  const scene = sceneOf(picture);
  const seat = namedSeat(picture, scene);
  return html`<div class="live" data-old=${isOld(picture)} data-scene=${scene} data-colour=${seat?.colour ?? NOBODY.colour}><div class="live-seen">
    <div class="live-top">
      <div class="live-title">${sceneTitle(picture, scene)}</div>
      <div class="live-mark">${seat === null ? nothing : html`${symbol(seat.sign)}<span>${seat.name}</span>`}</div>
    </div>
    <div class="live-roll">${roll(picture)}</div>
    <div class="live-digits">${digits(picture, scene, coreNow)}</div>
    <div class="live-detail">${detail(picture, scene)}</div>
  </div></div>`;
}
