// The scenes in which the clock stands: pause, 3-2-1, before the start, sheets are collected, the end.

import { make, part, setData, setText, show, startAnew, symbol } from "../lib/dom.js";
import { clockMs, clockText, countInText, groupedHex, inTurns, timerMs } from "../lib/reading.js";
import { NOBODY, allSeats, dueSeat, namedSeat, seatFrom } from "../lib/seats.js";
import { beginsText, boardText, decidedText, momentText, phaseText, reasonTexts, sealTitle, timerText, winnerTexts, winnersTitle } from "../lib/texts.js";
import { numberText, word } from "../lib/words.js";

/**
 * @import { Scene } from "../lib/reading.js"
 * @import { Seat } from "../lib/seats.js"
 */

// A seat as the hall screen shows it: a box in its colour, with its sign and a text.

/**
 * Sign and name of a seat.
 * @param {Seat} seat
 */
function signAndName({ sign, name }) {
  return [symbol(sign), make("span", "", name)];
}

/**
 * A box in the colour of a seat, or of nobody.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {string} look
 * @param {Pick<Seat, "colour">} seat
 * @param {string | (Node | string)[]} content
 */
export function seatBox(tag, look, { colour }, content) {
  const box = make(tag, look, content);
  box.dataset.colour = colour;
  return box;
}

/**
 * Who begins, or that the lot will say so; nothing where nobody is to.
 * @param {Api.Picture} picture
 */
function beginsChips(picture) {
  const [seat, text] = [dueSeat(picture), beginsText(picture)];
  if (text === "") return [];
  return [seatBox("span", "chip", seat ?? NOBODY, [...(seat === null ? [] : [symbol(seat.sign)]), make("span", "", text)])];
}

// The foot of every scene of a game: the seal of the dice and beside it the hall's word, for whoever notes them down.

const SEAL_GROUPS = 6; // 24 of 64 hexadecimal digits: enough to compare, short enough to read out
const HEAD_GROUPS = 4; // 16 of 64: no other file meets them

/**
 * `Record 3fa9 c1d2 7be0 4545`, nothing while the clock runs.
 * @param {Api.Picture} picture
 */
function recordText(picture) {
  const head = picture.journal_head_full;
  return head === null ? "" : word("record", { head: groupedHex(head.slice(0, HEAD_GROUPS * 4)) });
}

/** @param {Api.Picture} picture */
export function showProof(picture) {
  setText(part("proof-title"), sealTitle(picture));
  setText(part("proof-seal"), groupedHex(picture.commitment, SEAL_GROUPS));
  setText(part("proof-word"), picture.public_word ?? word("no_word_spoken"));
}

// The pause: unmistakable, why, exactly how much time is left, and who claims what.

const LONG_NAME = 12; // stands alone, without the word for a board
const SIGN_LETTERS = 3; // a sign and its gaps are as wide
const PART = ".284".length; // of an exact time, set smaller
const MOST_OPEN = 3; // so many fit in letters that are read from the back row
const MOST_SETTLED = [5, 2, 0, 0]; // by the number of open ones

/**
 * Chips that say what stands still: round, side, number.
 * @param {Api.Picture} picture
 */
function whereChips(picture) {
  const seat = namedSeat(picture, "pause");
  const chips = [make("span", "chip", phaseText(picture)), ...(seat === null ? [] : [seatBox("span", "chip", seat, signAndName(seat))])];
  if (picture.phase === "robber") {
    const desert = picture.robber_target === "desert";
    chips.push(seatBox("span", "chip", NOBODY, desert ? [symbol("desert"), make("span", "", word("desert"))] : String(picture.robber_target)));
  } else if (picture.sum !== null) {
    chips.push(make("span", "chip token-chip", String(picture.sum)));
  }
  return chips;
}

/**
 * One claim as a line: place in the order, board and side, moment, standing.
 * @param {Api.Picture} picture
 * @param {Api.ClaimView} claim
 * @param {number} place
 */
function claimLine(picture, claim, place) {
  const seat = seatFrom(picture, claim);
  const points = claim.points === null ? "" : ` · ${word("points", { count: claim.points })}`;
  const who = claim.board !== null && claim.board.length > LONG_NAME ? claim.board : boardText(claim, picture);
  const line = make("li", `claim ${claim.status}`, [
    make("span", "claim-place", `${place}.`),
    make("span", "claim-who", [who, ...(seat === null ? [] : signAndName(seat))]),
    make("span", "claim-moment", momentText(claim, "claim_moment", picture)),
    make("span", "claim-status", word(`claim_${claim.status}`) + points),
  ]);
  line.style.setProperty("--letters", String(who.length + (seat === null ? 0 : seat.name.length + SIGN_LETTERS)));
  return line;
}

/**
 * Those of this pause: what waits for a verdict, and what was claimed in this round. Older ones do not come back.
 * @param {Api.Picture} picture
 */
function claimsNow({ claims, round }) {
  const placed = claims.map((claim, index) => ({ claim, place: index + 1 }));
  return placed.filter(({ claim }) => (claim.status === "open" ? !claim.passed : claim.round === round));
}

/**
 * The first open claims, the newest settled ones below them, and how many more there are.
 * @param {Api.Picture} picture
 */
function claimLines(picture) {
  const lines = claimsNow(picture).map(({ claim, place }) => ({ claim, line: claimLine(picture, claim, place) }));
  const open = lines.filter(({ claim }) => claim.status === "open").slice(0, MOST_OPEN);
  const room = MOST_SETTLED[open.length] ?? 0;
  const settled = lines.filter(({ claim }) => claim.status !== "open").slice(room === 0 ? lines.length : -room);
  const shown = [...open, ...settled];
  return { open: open.length, lines: shown.map(({ line }) => line), more: lines.length - shown.length };
}

export const pauseScene = {
  /** @param {Api.Picture} picture */
  take(picture) {
    part("reasons").replaceChildren(...reasonTexts(picture).map((text) => make("li", "", text)));
    part("where").replaceChildren(...whereChips(picture));
    const { open, lines, more } = claimLines(picture);
    part("claims").replaceChildren(...lines);
    setData(part("claims"), "open", String(open));
    setText(part("claims-more"), more > 0 ? `+${more}` : "");
    part("pause").classList.toggle("with-claims", lines.length > 0);
    show(part("claims-box"), lines.length > 0);
    show(part("hands"), lines.length === 0 && picture.timer === null);
    setText(part("exact-label"), word(picture.turn?.timed === false ? "turn_elapsed" : "time_left"));
    setText(part("record"), recordText(picture));
  },
  /**
   * @param {Api.Picture} picture
   * @param {number} coreNow
   */
  frame(picture, coreNow) {
    const seconds = numberText(clockMs(picture, coreNow) / 1_000, ".3f");
    setText(part("exact-whole"), seconds.slice(0, -PART));
    setText(part("exact-part"), seconds.slice(-PART));
  },
};

/**
 * Fills a scene's place for the free timer, where it has one, or hides it.
 * @param {Scene} prefix
 * @param {Api.Picture} picture
 * @param {number} coreNow
 */
export function frameTimer(prefix, picture, coreNow) {
  if (prefix === "play" || prefix === "countin") return;
  const left = timerMs(picture, coreNow);
  show(part(`${prefix}-timer`), left !== null);
  if (left === null) return;
  setText(part(`${prefix}-timer-label`), picture.timer === null ? "" : timerText(picture.timer));
  setText(part(`${prefix}-timer-digits`), clockText(left));
}

// The 3-2-1 before the start and after a pause.

export const countinScene = {
  /** @param {Api.Picture} picture */
  take(picture) {
    const start = picture.phase === "ready";
    const due = dueSeat(picture);
    setData(part("countin"), "colour", (due ?? NOBODY).colour);
    setText(part("countin-title"), word(start ? "starts_in" : "goes_on"));
    const then = part("countin-then");
    if (start) return then.replaceChildren(...beginsChips(picture));
    then.replaceChildren(...whereChips(picture), make("span", "chip", word("seconds_left", { seconds: clockMs(picture, picture.as_of_ms) / 1_000 })));
  },
  /**
   * @param {Api.Picture} picture
   * @param {number} coreNow
   */
  frame(picture, coreNow) {
    const digit = part("countin-digit");
    const text = countInText(picture, coreNow);
    if (digit.textContent === text) return;
    digit.textContent = text;
    startAnew(digit);
  },
};

// Before the start: who begins, the seal of the dice, the hall's word, the doors timer.

const SHOWN_STEPS = 3;

/**
 * The times of rounds or turns in a line; a long schedule is cut.
 * @param {Api.Picture} picture
 */
function timesOf({ rules, schedule }) {
  if (rules.play === "turns") return schedule[0] === undefined ? word("turn_untimed") : word("turn_times", schedule[0]);
  const steps = schedule.slice(0, SHOWN_STEPS).map((step) =>
    step.from_round === 1 ? word("times_first", step) : word("times_from", step),
  );
  return steps.join(", ") + (schedule.length > SHOWN_STEPS ? " …" : "");
}

export const readyScene = {
  /** @param {Api.Picture} picture */
  take(picture) {
    const begins = beginsChips(picture);
    show(part("first"), begins.length > 0);
    part("first").replaceChildren(...begins);
    const seats = allSeats(picture);
    part("seats").classList.toggle("many", inTurns(picture));
    part("seats").style.setProperty("--seats", String(seats.length));
    part("seats").replaceChildren(...seats.flatMap((seat) => [seatBox("span", "disc", seat, [symbol(seat.sign)]), make("span", "", seat.name)]));
    setText(part("goal"), word("goal", { count: picture.target_points }));
    setText(part("times"), timesOf(picture));
    setText(part("seal-title"), sealTitle(picture));
    setText(part("seal"), groupedHex(picture.commitment, SEAL_GROUPS));
    const spoken = part("hall-word");
    setText(spoken, picture.public_word ?? word("no_word"));
    spoken.classList.toggle("missing", picture.public_word === null);
    show(part("seats"), picture.timer === null);
  },
};

// After the last round: sheets are collected, and the ranking stands as far as they have been checked. No clock runs.

const MOST_PLACES = 5;

/**
 * @param {Api.Picture} picture
 * @param {Api.RankedView} ranked
 */
function line(picture, ranked) {
  const seat = seatFrom(picture, ranked);
  return seatBox("li", "ranked", seat ?? NOBODY, [
    make("span", "ranked-place", `${ranked.place}.`),
    make("span", "ranked-who", [...(seat === null ? [] : [symbol(seat.sign)]), make("b", "", boardText(ranked, picture)), make("span", "", seat?.name ?? "")]),
    make("b", "ranked-points", ranked.points === null ? "" : word("points", { count: ranked.points })),
    make("span", "ranked-by", picture.ranking.length > 1 ? word(`rank_${ranked.decided_by}`) : ""),
  ]);
}

export const collectingScene = {
  /** @param {Api.Picture} picture */
  take(picture) {
    const lines = picture.ranking.slice(0, MOST_PLACES).map((ranked) => line(picture, ranked));
    part("ranking").replaceChildren(...lines);
    show(part("ranking-empty"), lines.length === 0);
    const more = picture.ranking.length - lines.length;
    setText(part("ranking-more"), more > 0 ? word("ranking_more", { count: more }) : "");
    setText(part("collecting-record"), recordText(picture));
  },
};

// The end: who has won, with how many points, and which step decided.

/**
 * @param {Api.Picture} picture
 * @param {Api.WinnerView} winner
 */
function winnerCard(picture, winner) {
  const seat = seatFrom(picture, winner);
  const { who, rest } = winnerTexts(picture, winner);
  return seatBox("li", "winner", seat ?? NOBODY, [
    symbol(seat?.sign ?? "wreath"),
    make("span", "winner-board", who),
    make("span", "winner-points", rest),
  ]);
}

export const endedScene = {
  /** @param {Api.Picture} picture */
  take(picture) {
    setText(part("winner-title"), winnersTitle(picture));
    part("winners").replaceChildren(...picture.winners.map((winner) => winnerCard(picture, winner)));
    part("winners").dataset.count = ["none", "one", "two"][picture.winners.length] ?? "many";
    setText(part("decided"), decidedText(picture));
    show(part("wreath"), picture.winners.length > 0);
    const seed = picture.seed === null ? "" : `${word("seed_title")} ${groupedHex(picture.seed, SEAL_GROUPS)}`;
    const facts = [recordText(picture), seed].filter(Boolean);
    show(part("opened"), facts.length > 0);
    setText(part("opened"), facts.join("  ·  "));
  },
};
