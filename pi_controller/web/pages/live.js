// A small view of the hall for the director's page and the virtual hall: phase, roll, countdown, or that news is missing.

import { make, setText, show, symbol } from "./dom.js";
import { makeDie, setDie } from "./dice.js";
import { colourOf, exactText, reasonKeys, remainingMs, resumeInMs, sceneOf, secondsText } from "./reading.js";
import { hasWord, word } from "./words.js";
import { sideName } from "./hall/play.js";

function title(picture, scene) {
  if (scene === "ready") return word("readyTitle");
  if (scene === "ended") return word("endedTitle");
  if (scene === "countin") return word(picture.phase === "ready" ? "startsIn" : "goesOn");
  const where = word(picture.phase === "robber" ? "afterRound" : "round", { n: picture.round });
  return scene === "pause" ? `${word("paused")} · ${where}` : where;
}

function detail(picture, scene) {
  if (scene === "pause") {
    const reasons = reasonKeys(picture).map((key, at) => (hasWord(key) ? word(key) : picture.pause_reasons[at]));
    return `${reasons.join(". ")}.`;
  }
  if (scene === "ended") return picture.winners.map((winner) => winner.board ?? word("claimButton")).join(", ") || word("noWinner");
  if (scene === "ready" && picture.next_side !== null) return word("begins", { side: sideName(picture.next_side) });
  return "";
}

function digitsText(picture, scene, coreNow) {
  if (scene === "countin") return String(Math.max(1, Math.ceil(resumeInMs(picture, coreNow) / 1_000)));
  if (scene === "pause") return `${exactText(remainingMs(picture, coreNow)).join("")} s`;
  return scene === "play" ? secondsText(remainingMs(picture, coreNow)) : "";
}

function sideMark(picture) {
  const robber = picture.phase === "robber";
  const side = picture.side ?? (picture.phase === "ready" ? picture.next_side : null);
  if (!robber && side === null) return [];
  const colour = robber ? "robber" : colourOf(side);
  return [symbol(colour === "neutral" ? "hex" : colour), make("span", "", robber ? word("robber") : sideName(side))];
}

function rollMark(picture, dice) {
  if (picture.dice === null) return [];
  dice.forEach((die, index) => setDie(die, picture.dice[index], word("die", { n: picture.dice[index] })));
  if (picture.phase !== "robber") return [...dice, make("strong", "", String(picture.sum))];
  return [...dice, picture.robber_target === "desert" ? symbol("desert") : make("strong", "", String(picture.robber_target))];
}

/** Builds the view into `root`; call `draw(feed)` for each frame. */
export function liveView(root) {
  root.className = "live";
  const parts = Object.fromEntries(["mark", "title", "roll", "digits", "detail", "cover"].map((name) => [name, make("div", `live-${name}`)]));
  const seen = make("div", "live-seen", [parts.mark, parts.title, parts.roll, parts.digits, parts.detail]);
  root.append(seen, parts.cover);
  const dice = [makeDie(), makeDie()];
  let shown = null;

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
    draw(feed) {
      const state = feed.state();
      const fresh = state === "fresh";
      show(seen, fresh);
      show(parts.cover, !fresh);
      if (!fresh) return setText(parts.cover, word(`${state}Title`));
      const scene = sceneOf(feed.picture);
      if (shown !== feed.picture) take(feed.picture, scene);
      setText(parts.digits, digitsText(feed.picture, scene, feed.coreNow()));
    },
  };
}
