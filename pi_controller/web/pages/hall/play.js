// A round or a robber phase: side, roll, target, countdown.

import { html, nothing, render } from "../vendor/lit-html/lit-html.js";
import { die, symbol } from "../lib/components.js";
import { part, setData, setText, show, startAnew } from "../lib/dom.js";
import { digitsText, remainingMs } from "../lib/reading.js";
import { NOBODY, actingSeat, allSeats, nameOf } from "../lib/seats.js";
import { noticeTexts, phaseText, sevenTexts, turnText } from "../lib/texts.js";
import { told, word } from "../lib/words.js";

const CALM_PULSE_FROM_MS = 5_000;
const BAR_STEPS = 600; // of two pixels on a projector: between them a frame changes nothing and is not painted

/** @param {Api.Picture} picture */
function showNotices(picture) {
  const notices = noticeTexts(picture);
  part("board").classList.toggle("noticed", notices.length > 0);
  part("notices").style.setProperty("--letters", String(notices.reduce((sum, { text }) => sum + text.length, 4)));
  render(notices.map(({ kind, text }) => html`<li class="notice ${kind}">${kind === "robber" ? symbol("robber") : nothing}${text}</li>`), part("notices"));
}

/**
 * The seats of the game one below the other; behind the first one there is room for the robber.
 * @param {Api.Picture} picture
 */
function showSeats(picture) {
  const seats = allSeats(picture);
  const [first, ...rest] = seats.map(({ colour, name, sign }, index) => {
    const acting = index === picture.seat;
    const note = acting ? word(picture.phase === "founding" ? "turn_founds" : "plays") : index === picture.next_seat ? word("next") : "";
    return html`<div class="side ${acting ? "acting" : ""} ${index === picture.next_seat ? "due" : ""}" data-colour=${colour} .style=${`--letters: ${Math.max(seats.length > 2 ? 6 : 4, name.length)}`}
      ><span class="side-symbol">${symbol(sign)}</span><span class="side-word">${name}</span><span class="side-note">${note}</span></div>`;
  });
  render(first ?? nothing, part("sides"), { renderBefore: part("nobody") });
  render(rest, part("sides"));
  part("sides").style.setProperty("--seats", String(seats.length));
  part("nobody").style.setProperty("--letters", String(Math.max(6, word("robber").length)));
  part("others").style.setProperty("--letters", String(Math.max(6, ...word("turn_others").split(" ").map((line) => line.length))));
  part("sides").classList.toggle("robbed", picture.phase === "robber");
  part("nobody").classList.toggle("acting", picture.phase === "robber");
  part("others").classList.toggle("acting", picture.turn?.building ?? false);
}

/** @param {Api.Picture} picture */
function showTarget(picture) {
  const desert = picture.robber_target === "desert";
  show(part("target-number"), !desert);
  show(part("target-desert"), desert);
  setText(part("target-number"), desert ? "" : String(picture.robber_target ?? ""));
  const move = desert ? told("", { key: "voice.robber_desert", params: {} }) : told("", { key: "voice.robber_to_hex", params: { number: Number(picture.robber_target) } });
  render([word("robber_short_half"), move, word("robber_short_nobody")].map((line) => html`<li>${line}</li>`), part("robber-help"));
}

/**
 * Of a game in turns: what is to be done, what a 7 means, who rolled what for the first turn.
 * @param {Api.Picture} picture
 */
function showTurn(picture) {
  const opening = (picture.turn?.opening ?? []).map((once) => once.map(({ side, dice }) => `${nameOf(picture, side)} ${dice[0] + dice[1]}`).join(" · "));
  const seven = picture.turn === null ? [] : sevenTexts(picture);
  const help = opening.length > 0 ? [word("turn_opening"), ...opening] : seven;
  const asked = turnText(picture);
  show(part("asked"), asked !== "");
  setText(part("asked"), asked);
  show(part("turn-help"), help.length > 0);
  render(help.map((line) => html`<li>${line}</li>`), part("turn-help"));
  part("board").classList.toggle("helps", help.length > 0);
}

export function playScene() {
  let shownRoll = "";

  /** @param {Api.Picture} picture */
  function showRoll(picture) {
    const robber = picture.phase === "robber";
    const rolled = picture.dice !== null;
    part("heading").classList.toggle("with-dice", robber && rolled);
    show(part("seven"), robber && rolled);
    show(part("roll"), !robber && rolled);
    show(part("target"), robber);
    if (picture.dice === null) return;
    render(picture.dice.map(die), part(robber ? "seven-dice" : "dice"));
    setText(part("sum"), robber ? "" : String(picture.sum));
    const roll = `${picture.game_id} ${picture.phase} ${picture.round} ${picture.dice} ${picture.robber_target}`;
    if (roll !== shownRoll) [part("dice"), part("token"), part("target-hex")].forEach(startAnew);
    shownRoll = roll;
  }

  return {
    /** @param {Api.Picture} picture */
    take(picture) {
      const robber = picture.phase === "robber";
      setText(part("round"), phaseText(picture));
      showSeats(picture);
      setData(part("bar-box"), "colour", (actingSeat(picture) ?? NOBODY).colour);
      setData(part("board"), "shows", robber ? "target" : turnText(picture) === "" ? "roll" : "asked");
      showRoll(picture);
      showNotices(picture);
      showTurn(picture);
      if (robber) showTarget(picture);
    },
    /**
     * @param {Api.Picture} picture
     * @param {number} coreNow
     */
    frame(picture, coreNow) {
      const left = remainingMs(picture, coreNow);
      const text = digitsText(picture, coreNow);
      const timed = picture.turn?.timed !== false;
      const digits = part("digits");
      setText(digits, text);
      setData(digits, "length", String(text.length));
      setText(part("unit"), !timed ? word("turn_elapsed") : text.includes(":") ? word("minutes") : word("seconds", { count: Number(text) }));
      show(part("bar-box"), timed);
      const share = picture.duration_ms > 0 ? Math.min(1, left / picture.duration_ms) : 0;
      const moved = `scaleX(${(Math.round(share * BAR_STEPS) / BAR_STEPS).toFixed(4)})`;
      if (part("bar").style.transform !== moved) part("bar").style.transform = moved;
      part("board").classList.toggle("closing", timed && picture.running && left <= CALM_PULSE_FROM_MS);
    },
  };
}
