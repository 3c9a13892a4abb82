// The judge's page, for a phone at the table: the queue, one claim at a time with its sheet, and opening a claim.

import { html, nothing, render } from "./vendor/lit-html/lit-html.js";
import { jsonOf } from "./asked.js";
import { linkLine } from "./components/linked.js";
import { languageMenu, themeButton, transportWarning, wayTo } from "./components/language.js";
import { reasons } from "./components/reasons.js";
import { part } from "./dom.js";
import { Feed } from "./feed.js";
import { liveView } from "./live.js";
import { TablesHub } from "./tables/hub.js";
import { startTheme } from "./theme.js";
import { word } from "./words.js";
import { Commander } from "./director/commander.js";
import { Desk } from "./director/desk.js";
import { claimForm } from "./judge/open.js";
import { judgedClaim } from "./judge/claim.js";
import { queue } from "./judge/queue.js";

/** @import { FeedState } from "./feed.js" */

startTheme();

const commander = new Commander(() => draw());
// A judge judges, whoever directs.
const desk = new Desk(commander, { watching: false, name: "" }, draw);
const hub = new TablesHub(draw);
const feed = new Feed({ onPicture: (picture) => show("fresh", picture) });
const judged = judgedClaim(desk, hub, () => choose(null));
const form = claimForm(desk, hub, (board) => (awaited = board));
/** @type {string | null} */
let chosen = null; // the claim whose sheet is open
/** @type {string | null} */
let awaited = null; // the board whose claim was just opened here
/** @type {string | null} */
let putAway = null; // the key of the command whose answer was read
let who = "";
/** @type {{ state: string, why: string }} */
let shown = { state: "", why: "" };

/** @param {string | null} id */
function choose(id) {
  chosen = id;
  draw();
  scrollTo({ top: 0 });
}

/** What became of the newest command. */
function answer() {
  const [newest] = commander.entries;
  if (newest === undefined || newest.status === "pending" || newest.key === putAway) return nothing;
  const told = newest.reasons.length > 0 ? newest.reasons : [`${word(`command_${newest.name}`)}: ${word(newest.status)}`];
  const close = () => {
    putAway = newest.key;
    draw();
  };
  return html`<div class="answer" data-is="answer" data-status=${newest.status} role="alert">
    ${reasons(told)}<button type="button" class="plain" aria-label=${word("close")} @click=${close}>×</button>
  </div>`;
}

function body() {
  const { picture } = desk;
  if (picture === null) return nothing;
  const claim = picture.claims.find(({ id, status }) => id === chosen && status === "open");
  judged.take(picture);
  if (claim !== undefined) return judged.draw(picture, claim);
  return html`${queue(picture, { hub, writer: judged.writer, choose })}${form()}`;
}

function draw() {
  const lost = desk.state === "fresh" ? "" : word("why_lost");
  render(html`<header class="top">
      <div class="bar">
        ${transportWarning()}
        <h1>${who === "" ? word("judge_title") : word("link_of", { name: who, role: word("role_judge") })}</h1>
        <nav class="ways"><a href=${wayTo("/")}>${word("to_hall")}</a>${languageMenu()}${themeButton()}</nav>
      </div>
      <div data-is="link"></div>
      <div data-is="live"></div>
      <p class="lost" role="status" ?hidden=${lost === ""}>${lost}</p>
    </header>
    <main>${answer()}${body()}</main>`, document.body);
}

/**
 * @param {FeedState} state
 * @param {Api.Picture | null} picture
 */
function show(state, picture) {
  shown = { state, why: feed.why };
  document.body.dataset.state = state;
  desk.take({ state, picture, why: feed.why, coreNow: () => feed.coreNow() });
  const opened = picture?.claims.findLast(({ board, status }) => status === "open" && board !== null && board === awaited);
  if (opened !== undefined) [chosen, awaited] = [opened.id, null];
  draw();
}

function frame() {
  const state = feed.state();
  if (state !== shown.state || feed.why !== shown.why) show(state, feed.picture);
  render(state === "fresh" ? linkLine(feed.picture, feed.coreNow()) : nothing, part("link"));
  render(liveView(feed), part("live"));
  requestAnimationFrame(frame);
}

async function whoIsThis() {
  const session = await jsonOf("/api/session");
  if (session === null) return;
  const { role, name } = session;
  who = role === "judge" ? name : "";
  draw();
}

draw();
frame();
await whoIsThis();
