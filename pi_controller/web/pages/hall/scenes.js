// The scenes in which the clock stands: pause, 3-2-1, before the start, sheets are collected, the end.

import { html, nothing, render } from "../vendor/lit-html/lit-html.js";
import { symbol } from "../lib/components.js";
import { part, setData, setText, show, startAnew } from "../lib/dom.js";
import { clockMs, clockText, countInText, groupedHex, inTurns, timerMs } from "../lib/reading.js";
import { NOBODY, allSeats, dueSeat, namedSeat, seatFrom } from "../lib/seats.js";
import { beginsText, boardText, decidedText, momentText, phaseText, reasonTexts, sealTitle, timerText, winnerTexts, winnersTitle } from "../lib/texts.js";
import { numberText, word } from "../lib/words.js";

/**
 * @import { Scene } from "../lib/reading.js"
 * @import { Seat } from "../lib/seats.js"
 */

/**
 * Sign and name of a seat.
 * @param {Pick<Seat, "name" | "sign">} seat
 */
const signAndName = ({ sign, name }) => html`${symbol(sign)}<span>${name}</span>`;

/**
 * Who begins, or that the lot will say so; nothing where nobody is to.
 * @param {Api.Picture} picture
 */
function beginsChip(picture) {
  const [seat, text] = [dueSeat(picture), beginsText(picture)];
  if (text === "") return nothing;
  return html`<span class="chip" data-colour=${(seat ?? NOBODY).colour}>${seat === null ? nothing : symbol(seat.sign)}<span>${text}</span></span>`;
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

const LONG_NAME = 12; // letters of a board that leave no room beside it
const PART = ".284".length; // of an exact time, set smaller
const MOST_OPEN = 3; // so many fit in letters that are read from the back row
const MOST_SETTLED = [5, 2, 0, 0]; // by the number of open ones

/**
 * Chips that say what stands still: round, side, number.
 * @param {Api.Picture} picture
 */
function whereChips(picture) {
  const seat = namedSeat(picture, "pause");
  const target = picture.robber_target === "desert" ? signAndName({ sign: "desert", name: word("desert") }) : picture.robber_target;
  const sum = picture.sum === null ? nothing : html`<span class="chip token-chip">${picture.sum}</span>`;
  return {
    round: html`<span class="chip">${phaseText(picture)}</span>`,
    side: seat === null ? nothing : html`<span class="chip" data-colour=${seat.colour} .style=${`--letters: ${seat.name.length}`}>${signAndName(seat)}</span>`,
    number: picture.phase === "robber" ? html`<span class="chip token-chip hexagon">${target}</span>` : sum,
  };
}

/**
 * One claim as a line: place in the order of the presses, board and side, moment, standing. The board stands alone, as large as it can.
 * @param {Api.Picture} picture
 * @param {Api.ClaimView} claim
 * @param {number} place
 */
function claimLine(picture, claim, place) {
  const seat = seatFrom(picture, claim);
  const points = claim.points === null ? "" : ` · ${word("points", { count: claim.points })}`;
  const who = claim.board ?? (boardText(claim, picture) || (seat?.name ?? ""));
  const moment = claim.round === picture.round && !inTurns(picture) ? word("claim_moment_now", { seconds: claim.pressed_ms_before_end / 1_000 }) : momentText(claim, "claim_moment", picture);
  return html`<li class="claim ${claim.status} ${who.length > LONG_NAME ? "long" : ""}" data-colour=${(seat ?? NOBODY).colour} .style=${`--letters: ${who.length}`}><span class="claim-place">${place}.</span
    ><b class="claim-who">${who}</b><span class="claim-sign">${seat === null ? nothing : symbol(seat.sign)}</span
    ><span class="claim-status">${seat === null || who === seat.name ? "" : `${seat.name} · `}${word(`claim_${claim.status}`)}${points}</span
    ><span class="claim-moment">${moment}</span></li>`;
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
    render(reasonTexts(picture).map((text) => html`<li>${text}</li>`), part("reasons"));
    const { round, side, number } = whereChips(picture);
    render(html`${round}${side}${number}`, part("where"));
    const { open, lines, more } = claimLines(picture);
    render(lines, part("claims"));
    setData(part("claims"), "open", String(open));
    setText(part("claims-round"), phaseText(picture));
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
    const due = namedSeat(picture, "countin");
    setData(part("countin"), "colour", (due ?? NOBODY).colour);
    render(due === null ? nothing : html`${symbol(due.sign)}<span .style=${`--letters: ${due.name.length}`}>${due.name}</span>`, part("countin-who"));
    setText(part("countin-title"), word(start ? "starts_in" : "goes_on"));
    const { round, number } = whereChips(picture);
    const left = () => html`${round}${number}<span class="chip">${word("seconds_left", { seconds: clockMs(picture, picture.as_of_ms) / 1_000 })}</span>`;
    render(start ? beginsChip(picture) : left(), part("countin-then"));
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
    show(part("first"), beginsText(picture) !== "");
    render(beginsChip(picture), part("first"));
    const seats = allSeats(picture);
    part("seats").classList.toggle("many", inTurns(picture));
    part("seats").style.setProperty("--seats", String(seats.length));
    render(seats.map(({ colour, name, sign }) => html`<span class="disc" data-colour=${colour}>${symbol(sign)}</span><span>${name}</span>`), part("seats"));
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
  return html`<li class="ranked" data-colour=${(seat ?? NOBODY).colour}><span class="ranked-place">${ranked.place}.</span
    ><span class="ranked-who">${seat === null ? nothing : symbol(seat.sign)}<b>${boardText(ranked, picture)}</b><span>${seat?.name}</span></span
    ><b class="ranked-points">${ranked.points === null ? "" : word("points", { count: ranked.points })}</b
    ><span class="ranked-by">${picture.ranking.length > 1 ? word(`rank_${ranked.decided_by}`) : ""}</span></li>`;
}

export const collectingScene = {
  /** @param {Api.Picture} picture */
  take(picture) {
    const lines = picture.ranking.slice(0, MOST_PLACES).map((ranked) => line(picture, ranked));
    render(lines, part("ranking"));
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
  return html`<li class="winner" data-colour=${(seat ?? NOBODY).colour} .style=${`--letters: ${(winner.board ?? who).length}`}>${symbol(seat?.sign ?? "wreath")}<span class="winner-board">${winner.board ?? who}</span><span class="winner-points">${rest}</span></li>`;
}

export const endedScene = {
  /** @param {Api.Picture} picture */
  take(picture) {
    setText(part("winner-title"), winnersTitle(picture));
    render(picture.winners.map((winner) => winnerCard(picture, winner)), part("winners"));
    part("winners").dataset.count = ["none", "one", "two"][picture.winners.length] ?? "many";
    setText(part("decided"), decidedText(picture));
    show(part("wreath"), picture.winners.length > 0);
    const seed = picture.seed === null ? "" : `${word("seed_title")} ${groupedHex(picture.seed, SEAL_GROUPS)}`;
    const facts = [recordText(picture), seed].filter(Boolean);
    show(part("opened"), facts.length > 0);
    setText(part("opened"), facts.join("  ·  "));
  },
};
