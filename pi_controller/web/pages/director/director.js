// The director's page, drawn anew with each picture and each answer; what somebody is typing stays. Show is what happens during play: clock and
// main action at one place, the stage with what is to be done now, the rail with what is needed now and then. Setup is all that is prepared.

import { html, nothing, render } from "../vendor/lit-html/lit-html.js";
import { claimBanner, claimEntry, claimsQueue, claimsSetup, tablesCard } from "./claims.js";
import { Directing, directingCard } from "./directors.js";
import { eveningCard } from "./evening.js";
import { paperCard, peopleCard, screensCard, settlement } from "./house.js";
import { judging } from "./judging.js";
import { Asking, drawer, fold, followMode, keysCard, modeNow, modeTabs, opener, panelNow } from "./page.js";
import { Actions, timelineFold, undoCard } from "./past.js";
import { clockCard, copyQuestion, endFold, gate, mainAction, questions, resultCard, screensFold, statusLine, timerLeft } from "./play.js";
import { sayCard, timerCard, wordCard } from "./say.js";
import { gameCard, gamesCard, readyCard, scheduleCard } from "./setup.js";
import { buttonCard } from "../lib/button_card.js";
import { languageMenu, soundCard, themeButton, transportWarning } from "../lib/components.js";
import { Desk } from "../lib/desk.js";
import { drawBy, part } from "../lib/dom.js";
import { TablesHub } from "../lib/hall_map.js";
import { directedLine, hallsCard } from "../lib/head.js";
import { inTurns } from "../lib/reading.js";
import { settingsCard } from "../lib/settings_card.js";
import { word } from "../lib/words.js";

const directing = new Directing();
const asking = new Asking();
const desk = new Desk(directing, { onNews: follow, onFrame: () => render(timerLeft(desk.feed), part("timer-left")), onEntry: (newest) => status.tell(newest), way: () => (modeNow() === "show" ? dispute.way() : nothing) });
const { feed } = desk;
const hub = new TablesHub();
const actions = new Actions();
const judge = judging(desk);
const main = mainAction(desk, judge, asking);
const status = statusLine(desk, directing, asking);
const schedule = scheduleCard(desk);
const tables = tablesCard(desk, hub);
const banner = claimBanner(desk);
const dispute = settlement(desk);
const queue = claimsQueue(desk, hub, judge);
const entry = claimEntry(desk, hub, judge);
const evening = eveningCard(desk, hub);
const screens = screensCard();
const ready = readyCard(tables.lines, screens.all);
const game = gameCard(desk, schedule, asking);
const cards = {
  copy: copyQuestion(desk),
  gate: gate(desk),
  undo: undoCard(desk, actions),
  timeline: timelineFold(desk, actions),
  say: sayCard(desk),
  games: gamesCard(),
  people: peopleCard(),
  directing: directingCard(directing),
  paper: paperCard(),
  sound: soundCard(feed, { tests: false, frame: (state, content) => fold("sound", word("sound_title"), state, content) }),
  settings: settingsCard(),
  button: buttonCard(),
};

function head() {
  const { picture } = desk;
  const saved = picture === null || picture.saved_seq >= picture.seq;
  return html`<header class="top"><h1 class="only-spoken">${word("director_title")}</h1>${modeTabs()}
    <span class="saved" data-is="saved" data-saved=${saved}>${picture === null ? "" : word(saved ? "saved" : "saving")}</span>
    <nav class="ways">${languageMenu()}${themeButton()}</nav></header>`;
}

/** What is to be done now: one thing at a time. */
function stage() {
  const { picture } = desk;
  if (picture === null) return nothing;
  const open = panelNow();
  if (open !== null && picture.phase !== "ready") {
    const claim = picture.claims.find(({ id }) => id === open);
    const panel = claim === undefined ? entry(picture) : judge.panel(picture, claim, hub.placeOf(claim.board));
    if (panel !== nothing) return panel;
  }
  const before = picture.phase === "ready";
  return html`${cards.copy()}${cards.gate(picture)}${before ? html`${evening.draw(picture)}${evening.asks(picture) ? nothing : html`${ready(picture)}${inTurns(picture) ? nothing : wordCard(desk)}`}` : html`${resultCard(desk)}${queue.draw(picture)}`}`;
}

const rail = () => html`${cards.say()}${timerCard(desk)}${endFold(desk, feed, asking)}${screensFold(desk)}${cards.timeline()}${cards.sound()}`;

function draw() {
  const { picture } = desk;
  judge.take(picture?.claims ?? []);
  const mode = modeNow();
  const turns = inTurns(picture);
  document.body.dataset.mode = mode;
  document.body.dataset.watching = String(directing.watching || desk.follows);
  document.body.dataset.panel = String(mode === "show" && (panelNow() !== null || (picture !== null && evening.asks(picture))));
  const halls = hallsCard(picture, feed.coreNow(), dispute.draw());
  render(html`${banner.draw(mode === "setup")}
    <div class="side">
      ${head()}
      <div data-is="live" role="region" aria-label=${word("round_now")}></div>
      <section class="primary" aria-label=${word("primary_title")}>${main.draw()}</section>
      ${turns && picture?.schedule.length === 0 ? nothing : clockCard(desk)}${cards.undo()}${opener("more", word("more_label"))}
      ${status.draw()}
    </div>
    <div class="questions">${questions(desk, directing, asking, game.arm)}</div>
    <main class="show" ?hidden=${mode !== "show"}>
      <div class="stage"><div data-is="link"></div>${directedLine(picture)}${transportWarning()}${stage()}${queue.drawMap(picture)}</div>
      ${drawer("more", word("more_actions"), rail())}
    </main>
    <main class="setup" ?hidden=${mode !== "setup"}><div class="setup-cards">
      ${dispute.open() ? halls : nothing}${cards.people()}${screens.draw()}${turns ? nothing : tables.draw()}${claimsSetup(desk, banner.toneSwitch)}${turns ? wordCard(desk) : schedule.draw()}${game.draw()}${cards.button()}${cards.paper()}${cards.directing()}${dispute.open() ? nothing : halls}${cards.settings()}${cards.games()}${keysCard()}
    </div></main>
    ${status.drawer()}`, document.body);
}

/** @param {Api.Picture | null} picture */
function follow(picture) {
  if (desk.state === "fresh") actions.follow(picture);
}

followMode(main.pauseByKey);
drawBy(draw);
tables.map.follow(part("map"));
queue.map.follow(part("claims-map"));
desk.frame();
