// The director's page: wires the cards to the feed and to the commands.

import { furnish, part, setText } from "./dom.js";
import { Feed } from "./feed.js";
import { liveView } from "./live.js";
import { startTheme } from "./theme.js";
import { word } from "./words.js";
import { answerBox } from "./director/answer.js";
import { claimsCard } from "./director/claims.js";
import { clockCard } from "./director/clock.js";
import { Commander } from "./director/commander.js";
import { Controls } from "./director/controls.js";
import { correctCard } from "./director/correct.js";
import { gameCard } from "./director/game.js";
import { gamesCard } from "./director/games.js";
import { logCard } from "./director/log.js";
import { primary } from "./director/primary.js";
import { sayCard } from "./director/say.js";
import { scheduleCard } from "./director/schedule.js";
import { statusCard } from "./director/status.js";
import { tablesCard } from "./director/tables.js";
import { timerCard } from "./director/timer.js";

/**
 * @import { Tools } from "./director/controls.js"
 * @import { FeedState } from "./feed.js"
 */

furnish(word);
document.title = word("directorTitle");
startTheme(part("theme"));

const commander = new Commander();
const controls = new Controls();
/** @type {Tools} */
const tools = { send: (name, body) => commander.send(name, body), controls, whereOf: (board) => tables.whereOf(board) };
const schedule = scheduleCard(tools);
const tables = tablesCard(tools, () => claims.placesChanged());
const claims = claimsCard(tools);
const thumb = primary(tools);
const views = [
  thumb,
  answerBox(tools, commander),
  claims,
  tables,
  clockCard(tools),
  correctCard(tools),
  sayCard(tools),
  timerCard(tools),
  schedule,
  gameCard(tools, schedule),
  statusCard(),
];
const live = liveView(part("live"));
logCard(commander);
gamesCard();

const feed = new Feed({
  onPicture: (picture) => {
    for (const view of views) view.take(picture);
  },
});
/** @type {FeedState | null} */
let shownState = null;
/** @type {Api.Picture | null} */
let shownPicture = null;
let shownWhy = "";

function frame() {
  live.draw(feed);
  const state = feed.state();
  if (state !== shownState || feed.picture !== shownPicture || feed.why !== shownWhy) {
    [shownState, shownPicture, shownWhy] = [state, feed.picture, feed.why];
    document.body.dataset.state = state;
    setText(part("lost-why"), state === "fresh" ? "" : feed.why || word("whyLost"));
    controls.refresh(feed.picture, state);
    thumb.refresh(feed.picture, state);
  }
  requestAnimationFrame(frame);
}

frame();
