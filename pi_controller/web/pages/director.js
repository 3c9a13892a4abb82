// The director's page: its cards, drawn anew with each picture and each answer. What somebody is typing stays.

import { html, render } from "./vendor/lit-html/lit-html.js";
import { themeButton } from "./components/head.js";
import { languageMenu, wayTo } from "./components/language.js";
import { soundCard } from "./components/sound.js";
import { part } from "./dom.js";
import { Feed } from "./feed.js";
import { liveView } from "./live.js";
import { TablesHub } from "./tables/hub.js";
import { startTheme } from "./theme.js";
import { word } from "./words.js";
import { claimBanner } from "./director/banner.js";
import { claimsCard } from "./director/claims.js";
import { clockCard, lastRoundsCard } from "./director/clock.js";
import { Commander } from "./director/commander.js";
import { correctCard } from "./director/correct.js";
import { Desk } from "./director/desk.js";
import { gamesCard, healthCard, healthLine, logCard } from "./director/facts.js";
import { gameCard } from "./director/game.js";
import { answerBox, primary } from "./director/primary.js";
import { sayCard, timerCard, wordCard } from "./director/say.js";
import { scheduleCard } from "./director/schedule.js";
import { tablesCard } from "./director/tables.js";

startTheme();

const commander = new Commander(() => {
  const [newest] = commander.entries;
  if (newest !== undefined) answer.tell(newest);
  draw();
});
const desk = new Desk(commander, draw);
const hub = new TablesHub(draw);
const answer = answerBox(desk);
const schedule = scheduleCard(desk);
const tables = tablesCard(desk, hub);
const banner = claimBanner(desk);
const cards = {
  primary: primary(desk),
  claims: claimsCard(desk, hub, banner.toneSwitch),
  correct: correctCard(desk),
  game: gameCard(desk, schedule),
  games: gamesCard(draw),
};
const feed = new Feed({ onPicture: (picture) => show("fresh", picture) });
const sound = soundCard(feed, draw, { tests: false });
/** @type {{ state: string, why: string }} */
let shown = { state: "", why: "" };

function status() {
  const { picture } = desk;
  const saved = picture === null || picture.saved_seq >= picture.seq;
  const [newest] = commander.entries;
  return html`<div class="status">
    <span class="saved" data-is="saved" data-saved=${saved}>${picture === null ? "" : word(saved ? "saved" : "saving")}</span>
    <nav class="ways"><a href=${wayTo("/")}>${word("to_hall")}</a>${languageMenu()}${themeButton()}</nav>
    <span class="last-line" data-is="last-line" data-status=${newest?.status ?? ""} aria-live="polite">${newest === undefined ? "" : `${word(`command_${newest.name}`)}: ${word(newest.status)}`}</span>
    ${healthLine(picture)}
  </div>`;
}

function draw() {
  const page = html`${banner.draw()}
    <div class="side">
      <header class="top"><div data-is="live"></div>${status()}</header>
      <section class="primary">${answer.draw()}${cards.primary()}</section>
    </div>
    <main>
      ${cards.claims()}${tables.draw()}${clockCard(desk)}${cards.correct()}${sayCard(desk)}${sound()}${timerCard(desk)}${wordCard(desk)}
      ${schedule.draw()}${lastRoundsCard(desk)}${cards.game()}${logCard(commander)}${healthCard(desk)}${cards.games()}
    </main>`;
  render(page, document.body);
}

/**
 * @param {FeedState} state
 * @param {Api.Picture | null} picture
 */
function show(state, picture) {
  shown = { state, why: feed.why };
  document.body.dataset.state = state;
  desk.take({ state, picture, why: feed.why });
  draw();
}

function frame() {
  const state = feed.state();
  if (state !== shown.state || feed.why !== shown.why) show(state, feed.picture);
  render(liveView(feed), part("live"));
  requestAnimationFrame(frame);
}

/** @import { FeedState } from "./feed.js" */

draw();
tables.map.follow(part("map"), draw);
frame();
