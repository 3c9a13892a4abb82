// The director's page: its cards, drawn anew with each picture and each answer. What somebody is typing stays. Two modes, and each card has
// one place: Show is what happens during play and is never scrolled, Setup all that is prepared.

import { html, nothing, render } from "../vendor/lit-html/lit-html.js";
import { claimBanner, claimsCard, tablesCard } from "./claims.js";
import { Directing, directingViews } from "./directors.js";
import { paperCard, peopleCard, screensCard, settlement } from "./house.js";
import { drawer, followMode, keysCard, modeNow, modeTabs, opener } from "./page.js";
import { Actions, timelineCard, undoCard } from "./past.js";
import { answerBox, clockCard, copyQuestion, coverCard, endCard, primary, standing, startGate } from "./play.js";
import { sayCard, timerCard, wordCard } from "./say.js";
import { gameCard, gamesCard, healthCard, healthLine, logCard, scheduleCard } from "./setup.js";
import { buttonCard } from "../lib/button_card.js";
import { languageMenu, soundCard, themeButton, transportWarning } from "../lib/components.js";
import { Desk } from "../lib/desk.js";
import { drawBy, part } from "../lib/dom.js";
import { TablesHub } from "../lib/hall_map.js";
import { directedLine, hallsCard } from "../lib/head.js";
import { inTurns } from "../lib/reading.js";
import { wayTo, word } from "../lib/words.js";

/** @import { FeedState } from "../lib/feed.js" */

const directing = new Directing();
const desk = new Desk(directing, { onNews: show, onFrame: showStanding, onEntry: (newest) => answer.tell(newest), way: () => (modeNow() === "show" ? dispute.way() : nothing) });
const { feed } = desk;
const hub = new TablesHub();
const actions = new Actions();
const answer = answerBox(desk);
const schedule = scheduleCard(desk);
const tables = tablesCard(desk, hub);
const banner = claimBanner(desk);
const directors = directingViews(directing);
const dispute = settlement(desk);
const claims = claimsCard(desk, hub, banner.toneSwitch);
const cards = {
  primary: primary(desk),
  copy: copyQuestion(desk),
  gate: startGate(desk),
  undo: undoCard(desk, actions),
  timeline: timelineCard(desk, actions),
  say: sayCard(desk),
  end: endCard(desk),
  game: gameCard(desk, schedule),
  games: gamesCard(),
  screens: screensCard(),
  people: peopleCard(),
  paper: paperCard(),
  button: buttonCard(),
};
const sound = soundCard(feed, { tests: false });

function status() {
  const { picture } = desk;
  const saved = picture === null || picture.saved_seq >= picture.seq;
  const [newest] = desk.entries;
  return html`<div class="status">
    ${transportWarning()}${modeTabs()}
    <span class="saved" data-is="saved" data-saved=${saved}>${picture === null ? "" : word(saved ? "saved" : "saving")}</span>
    <nav class="ways"><a href=${wayTo("/")}>${word("to_hall")}</a>${languageMenu()}${themeButton()}</nav>
    ${healthLine(picture)}
    <span class="last-line" data-is="last-line" data-status=${newest?.status ?? ""} aria-live="polite">${newest === undefined ? "" : `${word(`command_${newest.name}`)}: ${word(newest.status)}`}</span>
  </div>`;
}

const openers = () => html`<nav class="openers" aria-label=${word("more_actions")}>
  ${opener("message", word("open_message"))}${opener("timer", word("open_timer"))}${opener("end", word("open_end"))}${opener("log", word("open_log"))}
</nav>`;

function draw() {
  const mode = modeNow();
  const turns = inTurns(desk.picture);
  document.body.dataset.mode = mode;
  document.body.dataset.watching = String(directing.watching || desk.follows);
  const halls = hallsCard(desk.picture, feed.coreNow(), dispute.draw());
  const page = html`${banner.draw(mode === "setup")}
    <div class="side">
      <header class="top"><h1 class="only-spoken">${word("director_title")}</h1>${status()}${directedLine(desk.picture)}${directors.line()}<div data-is="link"></div><div data-is="live"></div></header>
      <section class="primary" aria-label=${word("primary_title")}>${answer.draw()}${cards.copy()}${cards.gate()}${cards.primary()}</section>
      ${turns && desk.picture?.schedule.length === 0 ? nothing : clockCard(desk)}${cards.undo()}
      <section class="card standing" data-is="standing" tabindex="0" aria-label=${word("standing_title")}></section>
    </div>
    <main class="show" ?hidden=${mode !== "show"}>
      ${claims.draw()}
      <div class="more">
        ${cards.say(coverCard(desk))}${timerCard(desk)}${cards.end()}${drawer("log", word("log_title"), cards.timeline())}${sound()}
      </div>
      ${openers()}
    </main>
    <main class="setup" ?hidden=${mode !== "setup"}><div class="setup-cards">
      ${dispute.open() ? halls : nothing}${turns ? nothing : schedule.draw()}${cards.game()}${wordCard(desk)}${cards.button()}${turns ? nothing : tables.draw()}${cards.people()}${directors.card()}${dispute.open() ? nothing : halls}${cards.screens()}${healthCard(desk)}${logCard(desk)}${cards.games()}${cards.paper()}${keysCard()}
    </div></main>`;
  render(page, document.body);
}

/** @param {Api.Picture | null} picture */
function show(picture) {
  if (desk.state === "fresh") actions.follow(picture);
}

/** @param {FeedState} state */
function showStanding(state) {
  render(state === "fresh" ? standing(desk, feed, tables.troubles) : nothing, part("standing"));
}

followMode();
drawBy(draw);
tables.map.follow(part("map"));
claims.map.follow(part("claims-map"));
desk.frame();
