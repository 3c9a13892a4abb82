// A round or a robber phase: side, roll, target, countdown.

import { make, part, setData, setSymbol, setText, show, symbol } from "../dom.js";
import { makeDie, setDie } from "../dice.js";
import { remainingMs, roundsLeft, secondsText } from "../reading.js";
import { hasWord, word } from "../words.js";

/** @typedef {[SVGElement, SVGElement]} Dice */

const CALM_PULSE_FROM_MS = 5_000;

/**
 * @param {Element} place
 * @returns {Dice}
 */
function dicePair(place) {
  /** @type {Dice} */
  const pair = [makeDie(), makeDie()];
  place.append(...pair);
  return pair;
}

/**
 * @param {Dice} pair
 * @param {[number, number]} values
 */
function showDice(pair, values) {
  const [first, second] = values;
  setDie(pair[0], first, word("die", { n: first }));
  setDie(pair[1], second, word("die", { n: second }));
}

/**
 * Notices that stand on the screen, the announced end first.
 * @param {Api.Picture} picture
 */
function noticeTexts(picture) {
  const left = roundsLeft(picture);
  const end = left === null ? [] : [{ kind: "last", text: left === 0 ? word("lastRound") : word("roundsToCome", { n: left }) }];
  const robber = picture.notices.includes("robber_possible") ? [{ kind: "robber", text: word("robberPossible") }] : [];
  return [...end, ...robber];
}

/** @param {Api.Picture} picture */
function showNotices(picture) {
  const items = noticeTexts(picture).map(({ kind, text }) => {
    const item = make("li", `notice ${kind}`, text);
    if (kind === "robber") item.prepend(symbol("robber"));
    return item;
  });
  part("notices").replaceChildren(...items);
}

/** @param {Api.Picture} picture */
function showSides(picture) {
  for (const side of /** @type {const} */ (["sun", "moon"])) {
    const active = picture.side === side;
    const next = picture.next_side === side;
    setText(part(`note-${side}`), active ? word("plays") : next ? word("next") : "");
  }
  const robber = picture.phase === "robber";
  const seat = picture.side ?? "";
  setText(part("neutral-word"), robber ? word("robber") : seat);
  setText(part("neutral-note"), robber ? word("nobody") : seat && word("plays"));
}

/** @param {Api.Picture} picture */
function showTarget(picture) {
  const desert = picture.robber_target === "desert";
  show(part("target-number"), !desert);
  show(part("target-desert"), desert);
  setText(part("target-number"), desert ? "" : String(picture.robber_target ?? ""));
  const lines = word(desert ? "robberHelpDesert" : "robberHelp");
  part("robber-help").replaceChildren(...lines.map((line) => make("li", "", line)));
}

export function playScene() {
  const dice = dicePair(part("dice"));
  const seven = dicePair(part("seven-dice"));
  const neutral = part("neutral-symbol").appendChild(symbol("robber"));
  let shownRoll = "";

  /** @param {Api.Picture} picture */
  function showRoll(picture) {
    const robber = picture.phase === "robber";
    const rolled = picture.dice !== null;
    show(part("seven"), robber && rolled);
    show(part("roll"), !robber && rolled);
    show(part("target"), robber);
    if (picture.dice === null) return;
    showDice(robber ? seven : dice, picture.dice);
    setText(part("sum"), robber ? "" : String(picture.sum));
    const roll = `${picture.game_id} ${picture.phase} ${picture.round} ${picture.dice} ${picture.robber_target}`;
    if (roll !== shownRoll) settle(part("dice"), part("token"), part("target"));
    shownRoll = roll;
  }

  return {
    /** @param {Api.Picture} picture */
    take(picture) {
      const robber = picture.phase === "robber";
      setText(part("round"), word(robber ? "afterRound" : "round", { n: picture.round }));
      setSymbol(neutral, robber ? "robber" : "hex");
      showSides(picture);
      showRoll(picture);
      showNotices(picture);
      if (robber) showTarget(picture);
    },
    /**
     * @param {Api.Picture} picture
     * @param {number} coreNow
     */
    frame(picture, coreNow) {
      const left = remainingMs(picture, coreNow);
      const text = secondsText(left);
      const digits = part("digits");
      setText(digits, text);
      setData(digits, "length", String(text.length));
      setText(part("unit"), word(text.includes(":") ? "minutes" : text === "1" ? "second" : "seconds"));
      const share = picture.duration_ms > 0 ? Math.min(1, left / picture.duration_ms) : 0;
      part("bar").style.transform = `scaleX(${share.toFixed(4)})`;
      part("countdown").classList.toggle("closing", picture.running && left <= CALM_PULSE_FROM_MS);
    },
  };
}

/**
 * Lets a new roll land: the class is taken off and put on again so that its animation starts anew.
 * @param {...HTMLElement} places
 */
function settle(...places) {
  for (const place of places) {
    place.classList.remove("landing");
    void place.offsetWidth;
    place.classList.add("landing");
  }
}

/**
 * `Sun`, `Moon`, or the name of a seat as it comes.
 * @param {string} side
 */
export function sideName(side) {
  return hasWord(side) ? word(side) : side;
}
