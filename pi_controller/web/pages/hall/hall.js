// The hall screen: which scene, its parts, and the frame that counts down. Everything shown comes from the picture.

import { html, render } from "../vendor/lit-html/lit-html.js";
import { diceCheck, eventHead, forecast, openClaims, showCaptions, showHealth, showHistory, showQueue, timeOfDay } from "./foot.js";
import { fit, forgetSizes, isUnlinked, showLink, showWays, startLayout, unlinkedTexts } from "./place.js";
import { playScene } from "./play.js";
import { ReplayFeed, isReplay, replayBar } from "./replay.js";
import { collectingScene, countinScene, endedScene, frameTimer, pauseScene, readyScene, showProof } from "./scenes.js";
import { ScreenLink, screenCover, screenName } from "./screen.js";
import { furnish } from "../lib/components.js";
import { drawBy, part, sayWords, setData, setText, show } from "../lib/dom.js";
import { Feed } from "../lib/feed.js";
import { messageOf, sceneOf } from "../lib/reading.js";
import { actingSeat } from "../lib/seats.js";
import { COVERS, claimText, coverTexts, messageText, turnText, winnerTexts } from "../lib/texts.js";
import { languages, speak, spokenLanguage, word } from "../lib/words.js";

/**
 * @import { FeedState } from "../lib/feed.js"
 * @import { Scene } from "../lib/reading.js"
 */

// The languages of the hall in turn, and the sign that says which one stands.

function showSign() {
  if (languages.length < 2) return;
  render(languages.map((language) => html`<span class=${language === spokenLanguage() ? "spoken" : ""}>${language.toUpperCase()}</span>`), part("languages"));
}

/**
 * Called with each picture: speaks its language, and returns whether the words are others than before. A screen that somebody has opened in a language of its own
 * has no other texts, and stays.
 */
function languageTurns() {
  let play = "";
  showSign();
  return (/** @type {Api.Picture} */ picture) => {
    const before = play;
    play = picture.rules.play;
    if (picture.language === spokenLanguage() || !speak(picture.language)) return play !== before;
    showSign();
    return true;
  };
}

const LOADED_FOR = "languages";

/**
 * The hall has got other languages than this page has texts of: it is loaded anew, once for each choice.
 * @param {Api.Picture} picture
 */
function followLanguages({ languages: spoken }) {
  const [own, wanted] = [document.documentElement.dataset.languages, spoken.join(" ").replaceAll("_", "-")];
  if (own === undefined || own === wanted || sessionStorage.getItem(LOADED_FOR) === wanted) return;
  sessionStorage.setItem(LOADED_FOR, wanted);
  location.reload();
}

const RETRY_OF_SCREENS_MS = [250, 500]; // few, and looked at by everybody: they come back sooner than phones do
const REST_MS = 20; // between two frames: some 30 a second show all that moves, and what only the compositor moves needs none

startLayout();
furnish();
sayWords(word);
/** @type {Record<Scene, { take: (picture: Api.Picture) => void, frame?: (picture: Api.Picture, coreNow: number) => void }>} */
const scenes = { play: playScene(), pause: pauseScene, countin: countinScene, ready: readyScene, collecting: collectingScene, ended: endedScene };
const turn = languageTurns();
const tellTime = timeOfDay();
const link = new ScreenLink();
const over = screenCover(link);
const called = screenName(link);
const ends = forecast();
const footers = [eventHead(), showHistory, showHealth, showQueue, showProof, showCaptions, ...(isReplay ? [] : [diceCheck()])];
const again = isReplay ? new ReplayFeed(take) : null;
const feed = again ?? new Feed({ onPicture: take, path: () => link.keyed("/api/feed"), retryMs: link.isScreen ? RETRY_OF_SCREENS_MS : undefined });
const places = [...document.querySelectorAll(".scene:not(.play), .heading, .target, .queue, .link-news")].filter((place) => place instanceof HTMLElement);
/** @type {Api.Picture | null} */
let fitted = null; // the picture whose texts have their size
let hidden = document.hidden;

/** @param {Api.Picture} picture */
function take(picture) {
  if (!isReplay) followLanguages(picture);
  if (turn(picture)) sayWords(word);
  setData(document.documentElement, "play", picture.rules.play);
  scenes[sceneOf(picture)].take(picture);
  for (const footer of footers) footer(picture);
  over.take(picture);
  setText(part("hall-name"), picture.link?.hall ?? "");
  sayAloud(picture);
}

function draw() {
  const state = hidden ? "lost" : feed.state();
  const [picture, coreNow] = [feed.picture, feed.coreNow()];
  over.frame(coreNow, state === "fresh");
  called.frame(picture, coreNow);
  if (state !== "fresh") drawCover(state);
  else if (picture !== null && coreNow !== null) drawNews(picture, coreNow);
}

/**
 * @param {Api.Picture} picture
 * @param {number} coreNow
 */
function drawNews(picture, coreNow) {
  if (showLink(picture, coreNow)) fitted = null; // the banner takes room
  if (isUnlinked(picture, coreNow)) {
    const [title = "", help = ""] = unlinkedTexts(picture, coreNow);
    return sayCover("unlinked", title, help);
  }
  drawPicture(picture, coreNow);
}

/**
 * @param {Api.Picture} picture
 * @param {number} coreNow
 */
function drawPicture(picture, coreNow) {
  const scene = sceneOf(picture);
  setData(document.body, "scene", scene);
  const message = messageOf(picture, coreNow);
  const says = message === null ? null : messageText(message);
  setData(document.body, "strip", stripOf(picture));
  scenes[scene].frame?.(picture, coreNow);
  frameTimer(scene, picture, coreNow);
  ends(picture, coreNow);
  tellTime();
  if (setData(document.body, "says", says === null ? "none" : sizeOf(says))) fitted = null; // it takes room
  show(part("says"), says !== null);
  setText(part("says-text"), says ?? "");
  setData(part("says"), "size", sizeOf(says ?? ""));
  // Measured last, when everything stands: what changed after it would be laid out a second time.
  if (picture !== fitted && document.body.dataset.cover === "none") {
    places.forEach(fit);
    fitted = picture;
  }
}

/**
 * What stands at the foot: open claims, or the last rolls where the claims of a pause or the winners do not need their room. A line of
 * the director lies over the rolls, and below all else.
 * @param {Api.Picture} picture
 */
function stripOf(picture) {
  if (!part("queue").hidden) return "claims";
  const taken = picture.phase === "ended" || (sceneOf(picture) === "pause" && !part("claims-box").hidden);
  return picture.history.length > 0 && !taken ? "rolls" : "none";
}

/** @param {string} line */
function sizeOf(line) {
  if (line.length <= 48) return "short";
  return line.length <= 110 ? "middle" : "long";
}

/** @param {Exclude<FeedState, "fresh">} state */
function drawCover(state) {
  const [title = "", help = ""] = coverTexts(state, hidden ? "" : feed.why);
  sayCover(state, title, help);
  setText(part("spoken"), word(COVERS[state][0]));
}

/**
 * @param {string} scene
 * @param {string} title
 * @param {string} help
 */
function sayCover(scene, title, help) {
  setData(document.body, "scene", scene);
  setText(part("cover-title"), title);
  setText(part("cover-help"), help);
}

/** @param {Api.Picture} picture */
function sayAloud(picture) {
  const text = {
    play: () => turnText(picture) || [actingSeat(picture)?.name ?? word("robber"), picture.sum].join(" "),
    pause: () => word("paused"),
    countin: () => word("goes_on"),
    ready: () => word("ready_title"),
    collecting: () => collectingSpoken(picture),
    ended: () => word("ended_title"),
  }[sceneOf(picture)]();
  const claims = openClaims(picture).map(({ claim }) => claimText(picture, claim));
  setText(part("spoken"), picture.cover === "none" ? [text, ...claims].join(". ") : "");
}

/** @param {Api.Picture} picture */
function collectingSpoken(picture) {
  const [first] = picture.ranking;
  const leads = first === undefined ? [] : [`${word("ranking")}: ${winnerTexts(picture, first).who}`];
  return [word("collecting_title"), word("collecting"), ...leads].join(". ");
}

function fitAnew() {
  forgetSizes();
  fitted = null;
}

addEventListener("resize", fitAnew);
document.fonts.addEventListener("loadingdone", fitAnew);

// A hidden or frozen tab is painted first with what it showed last: so it leaves covered and comes back covered.
document.addEventListener("visibilitychange", () => {
  hidden = document.hidden;
  draw();
});

const moveBar = again === null ? () => {} : replayBar(again);

function frame() {
  draw();
  moveBar();
  setTimeout(() => requestAnimationFrame(frame), REST_MS);
}

drawBy(draw);
frame();
showWays();
