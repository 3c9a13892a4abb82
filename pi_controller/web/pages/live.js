// A small view of the hall for the director's page and the virtual hall: phase, roll, countdown, or that news is missing.

import { make, setText, show, symbol } from "./dom.js";
import { makeDie, setDie } from "./dice.js";
import { colourOf, exactText, reasonKeys, remainingMs, resumeInMs, sceneOf, secondsText } from "./reading.js";
import { hasWord, word } from "./words.js";
import { sideName } from "./hall/play.js";

/**
 * @import { Feed } from "./feed.js"
 * @import { Scene } from "./reading.js"
 */

/**
 * @param {Api.Picture} picture
 * @param {Scene} scene
 */
function title(picture, scene) {
  if (scene === "ready") return word("readyTitle");
  if (scene === "ended") return word("endedTitle");
  if (scene === "countin") return word(picture.phase === "ready" ? "startsIn" : "goesOn");
  const where = word(picture.phase === "robber" ? "afterRound" : "round", { n: picture.round });
  return scene === "pause" ? `${word("paused")} · ${where}` : where;
}

/**
 * @param {Api.Picture} picture
 * @param {Scene} scene
 */
function detail(picture, scene) {
  if (scene === "pause") {
    const reasons = reasonKeys(picture).map((key, at) => (hasWord(key) ? word(key) : picture.pause_reasons[at]));
    return `${reasons.join(". ")}.`;
  }
  if (scene === "ended") return picture.winners.map((winner) => winner.board ?? word("claimButton")).join(", ") || word("noWinner");
  if (scene === "ready" && picture.next_side !== null) return word("begins", { side: sideName(picture.next_side) });
  return "";
}

/**
 * @param {Api.Picture} picture
 * @param {Scene} scene
 * @param {number} coreNow
 */
function digitsText(picture, scene, coreNow) {
  if (scene === "countin") return String(Math.max(1, Math.ceil((resumeInMs(picture, coreNow) ?? 0) / 1_000)));
  if (scene === "pause") return `${exactText(remainingMs(picture, coreNow)).join("")} s`;
  return scene === "play" ? secondsText(remainingMs(picture, coreNow)) : "";
}

/** @param {Api.Picture} picture */
function sideMark(picture) {
  const robber = picture.phase === "robber";
  const side = picture.side ?? (picture.phase === "ready" ? picture.next_side : null);
  if (!robber && side === null) return [];
  const colour = robber ? "robber" : colourOf(side);
  return [symbol(colour === "neutral" ? "hex" : colour), make("span", "", robber ? word("robber") : sideName(side ?? ""))];
}

/**
 * @param {Api.Picture} picture
 * @param {[SVGElement, SVGElement]} dice
 */
function rollMark(picture, dice) {
  if (picture.dice === null) return [];
  const [first, second] = picture.dice;
  setDie(dice[0], first, word("die", { n: first }));
  setDie(dice[1], second, word("die", { n: second }));
  if (picture.phase !== "robber") return [...dice, make("strong", "", String(picture.sum))];
  return [...dice, picture.robber_target === "desert" ? symbol("desert") : make("strong", "", String(picture.robber_target))];
}

/**
 * Builds the view into `root`; call `draw(feed)` for each frame.
 * @param {HTMLElement} root
 */
export function liveView(root) {
  root.className = "live";
  const box = (/** @type {string} */ name) => make("div", `live-${name}`);
  const parts = { mark: box("mark"), title: box("title"), roll: box("roll"), digits: box("digits"), detail: box("detail"), cover: box("cover") };
  const seen = make("div", "live-seen", [parts.mark, parts.title, parts.roll, parts.digits, parts.detail]);
  root.append(seen, parts.cover);
  /** @type {[SVGElement, SVGElement]} */
  const dice = [makeDie(), makeDie()];
  /** @type {Api.Picture | null} */
  let shown = null;

  /**
   * @param {Api.Picture} picture
   * @param {Scene} scene
   */
  function take(picture, scene) {
    shown = picture;
    root.dataset.scene = scene;
    root.dataset.side = picture.phase === "robber" ? "neutral" : colourOf(picture.side ?? picture.next_side);
    parts.mark.replaceChildren(...sideMark(picture));
    parts.roll.replaceChildren(...rollMark(picture, dice));
    setText(parts.title, title(picture, scene));
    setText(parts.detail, detail(picture, scene));
  }

  return {
    /** @param {Feed} feed */
    draw(feed) {
      const state = feed.state();
      const [picture, coreNow] = [feed.picture, feed.coreNow()];
      show(seen, state === "fresh");
      show(parts.cover, state !== "fresh");
      if (state !== "fresh") return setText(parts.cover, word(`${state}Title`));
      if (picture === null || coreNow === null) return;
      const scene = sceneOf(picture);
      if (shown !== picture) take(picture, scene);
      setText(parts.digits, digitsText(picture, scene, coreNow));
    },
  };
}
