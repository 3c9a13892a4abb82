// The claim sheet and what is decided by it; the director and the judge fill it in.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { FLAGS, RESOURCES, ladderOf, pointsOf } from "./claim_count.js";
import { claimant, symbol } from "./components.js";
import { inTurns, isWaiting } from "./reading.js";
import { allSeats, nameOf } from "./seats.js";
import { writerText } from "./shared.js";
import { listed, word } from "./words.js";

/**
 * @import { Drafts, Flag, Resource, Sheet } from "./claim_count.js"
 * @import { Desk } from "./desk.js"
 * @import { SharedSheets } from "./shared.js"
 */

// Half-filled sheets outlive a reload of the page: they are kept in its tab, by game and claim.

/**
 * @param {Desk} desk
 * @param {string} claim
 */
const keyOf = (desk, claim) => ["sheet", desk.picture?.game_id, claim].join("/");

/**
 * The sheet of this claim as it was left, or null where none was begun.
 * @param {Desk} desk
 * @param {string} claim
 * @returns {Sheet | null}
 */
export function keptSheet(desk, claim) {
  return JSON.parse(sessionStorage.getItem(keyOf(desk, claim)) ?? "null");
}

/**
 * @param {Desk} desk
 * @param {string} claim
 * @param {Sheet} sheet
 */
export function keepSheet(desk, claim, sheet) {
  sessionStorage.setItem(keyOf(desk, claim), JSON.stringify(sheet));
}

// Rival claims side by side: what each sheet has in every step of the tie-break, and the step that decides.

/** @typedef {{ claim: Api.ClaimView, ladder: ReturnType<typeof ladderOf> }} Rival */

/** @type {ReadonlySet<Api.Picture["phase"]>} */
const IN_PLAY = new Set(["round", "robber", "founding", "turn"]);

/**
 * The place of the first step in which two differ; -1 where all are equal.
 * @param {Rival} one
 * @param {Rival} other
 */
const differenceAt = (one, other) => one.ladder.findIndex(([, value], index) => value !== other.ladder[index]?.[1]);

/**
 * @param {Rival} one
 * @param {Rival} other
 */
function better(one, other) {
  const at = differenceAt(one, other);
  return at < 0 ? 0 : (other.ladder[at]?.[1] ?? 0) - (one.ladder[at]?.[1] ?? 0);
}

/**
 * Who wins once this claim, the last open one, is closed: with `points` where its sheet confirms it, null where it does not. Null: hands decide.
 * @param {Api.Picture} picture
 * @param {Pick<Api.ClaimView, "board" | "round" | "side">} claim
 * @param {number | null} points
 * @returns {Pick<Api.ClaimView, "board" | "side">[] | null}
 */
function winnersAfter({ claims, would_win: others }, claim, points) {
  const [first] = others;
  if (points === null) return others;
  if (first === undefined) return [claim];
  const round = claims.find(({ id }) => id === first.claim)?.round ?? claim.round;
  if (claim.round !== round) return claim.round < round ? [claim] : others;
  if (first.points === null || first.points === points) return null;
  return points > first.points ? [claim] : others;
}

/**
 * @param {Api.Picture} picture
 * @param {Pick<Api.ClaimView, "board" | "side">[]} winners
 */
function winText(picture, winners) {
  if (winners.some(({ board, side }) => side === null || (board === null && !inTurns(picture)))) return word("verdict_ends");
  const who = winners.map(({ board, side }) => `${board ?? ""} ${nameOf(picture, side)}`.trim());
  return word("verdict_wins", { who: listed(who), count: winners.length });
}

/**
 * What is said of closing a claim: where that ends the game also who wins then.
 * @param {Api.Picture} picture
 * @param {Api.ClaimView} claim
 * @param {string} what the verdict or the withdrawal alone
 * @param {number | null} points those with which its sheet confirms it
 */
export function closingText(picture, claim, what, points) {
  const waiting = picture.claims.filter(isWaiting);
  if (!IN_PLAY.has(picture.phase) || waiting.length !== 1 || waiting[0]?.id !== claim.id) return what;
  const winners = winnersAfter(picture, claim, points);
  if (winners?.length === 0) return what;
  return `${what}${what.includes(":") ? " –" : ":"} ${winners === null ? word("verdict_ends") : winText(picture, winners)}`;
}

/**
 * Claims of one round that are open or confirmed, two or more with a sheet that was begun on this page.
 * @param {Api.Picture} picture
 * @param {(id: string) => Sheet | null} sheetOf
 */
export function rivals(picture, sheetOf) {
  if (picture.phase === "collecting") return nothing;
  const found = picture.claims.flatMap((claim) => {
    const sheet = claim.status === "confirmed" || isWaiting(claim) ? sheetOf(claim.id) : null;
    return sheet === null ? [] : [{ claim, ladder: ladderOf(sheet) }];
  });
  const [first, second] = found.sort(better);
  if (first === undefined || second === undefined) return nothing;
  const step = first.ladder[differenceAt(first, second)]?.[0] ?? "shared";
  return html`<section class="rivals" data-is="rivals" aria-live="polite">
    <h3>${word("rivals_title")}</h3>
    <div class="rivals-scroll"><table>
      <thead><tr><td></td>${first.ladder.map(([name]) => html`<th scope="col" class=${name === step ? "decides" : ""}>${word(name === "points" ? "points_title" : name === "resources" ? "resources_total" : name)}</th>`)}</tr></thead>
      <tbody>${found.map(({ claim, ladder }) => html`<tr><th scope="row">${claimant(picture, claim)}</th>${ladder.map(([name, value]) =>
        html`<td class=${name === step ? "decides" : ""}>${value}</td>`)}</tr>`)}</tbody>
    </table></div>
    <p class="hint" data-is="rivals-step">${word(`rank_${step}`)}</p>
  </section>`;
}

// The claim sheet: counts with − and +, the points they make, the pieces there are. The game counts again itself.

/**
 * @typedef {Api.ClaimBody["side"]} Side
 * @typedef {{ drafts: Drafts, shared: SharedSheets }} Sheets
 */

const COUNTS = /** @type {const} */ (["settlements", "cities", "victory_cards"]);
const MOST_CARDS = 25;
/** @type {readonly string[]} */
const PIECES = ["settlements", "cities"];
const MOST_RESOURCES = 999;

/**
 * The buttons that choose one of the seats.
 * @param {Api.Picture | null} picture
 * @param {string | null | undefined} chosen
 * @param {(id: Side) => void} choose
 */
export function sideChoice(picture, chosen, choose) {
  return html`<fieldset class="choice"><legend>${word(inTurns(picture) ? "turn_seat" : "side_label")}</legend>${allSeats(picture).map(({ id, name, sign }) =>
    html`<button type="button" class="toggle" aria-pressed=${id === chosen} @click=${() => choose(/** @type {Side} */ (id))}>${symbol(sign)}<span>${name}</span></button>`)}</fieldset>`;
}

/**
 * One number with its two buttons; `set` gets the number that is wanted.
 * @param {(typeof COUNTS)[number] | Resource} name
 * @param {number} most
 * @param {number} value
 * @param {(value: number) => void} set
 */
function stepper(name, most, value, set) {
  const what = word(name);
  const full = PIECES.includes(name) && value >= most ? word("too_many", { what }) : "";
  return html`<div class="stepper">
    <span class="stepper-name">${what}</span>
    <button type="button" aria-label=${word("fewer", { what })} ?disabled=${value <= 0} @click=${() => set(value - 1)}>−</button>
    <output>${value}</output>
    <button type="button" aria-label=${word("more", { what })} title=${full} ?disabled=${value >= most} @click=${() => set(value + 1)}>+</button>
    <span class="only-spoken">${full}</span>
  </div>`;
}

/**
 * @param {Flag} name
 * @param {boolean} held
 * @param {(held: boolean) => void} set
 */
function flag(name, held, set) {
  return html`<button type="button" class="toggle" aria-pressed=${held} @click=${() => set(!held)}>${word(name)}</button>`;
}

/**
 * What sending the sheet does: it confirms or rejects, counts for the ranking while sheets are collected, or takes the place of a verdict.
 * @param {boolean} corrects
 * @param {boolean} ranks
 * @param {number} total
 * @param {number} target
 */
function verdictText(corrects, ranks, total, target) {
  if (corrects) return word("sheet_correct", { count: total });
  if (ranks) return word("sheet_rank", { count: total });
  return total >= target ? word("sheet_confirm", { count: total }) : word("sheet_reject", { points: total, target });
}

/** @param {Desk} desk */
const cityAtStart = (desk) => (inTurns(desk.picture) ? 0 : 1);

/**
 * The verdict that the sheet of a claim comes to as it is filled in now: what it says, and how it is given.
 * @param {Desk} desk
 * @param {Api.ClaimView} claim
 * @param {Drafts} drafts
 * @param {Pick<Api.VerdictBody, "board" | "side">} naming what the verdict says of who claims
 */
export function sheetVerdict(desk, claim, drafts, naming) {
  const sheet = drafts.sheetOf(claim.id, keptSheet(desk, claim.id), cityAtStart(desk));
  const total = pointsOf(sheet);
  const target = desk.picture?.target_points ?? 0;
  const ranks = desk.picture?.phase === "collecting";
  const corrects = !ranks && claim.status !== "open";
  const enough = ranks || total >= target;
  /** Of a claim that has been judged already the verdict is replaced, however many actions ago it was given. */
  const give = (/** @type {Api.Picture | null} */ seen = null) => corrects
    ? desk.send("undo", { claim: claim.id, replace: { name: "verdict", body: { claim: claim.id, sheet } } }, seen)
    : desk.send("verdict", { claim: claim.id, sheet, ...naming }, seen);
  return {
    command: /** @type {"undo" | "verdict"} */ (corrects ? "undo" : "verdict"),
    text: closingText(/** @type {Api.Picture} */ (desk.picture), { ...claim, ...naming }, verdictText(corrects, ranks, total, target), enough ? total : null),
    total, target, ranks, enough, give,
  };
}

/**
 * The form for one claim; its draft is kept in `drafts`, and all who judge see it.
 * @param {Desk} desk
 * @param {Api.ClaimView} claim
 * @param {Sheets} sheets
 * @param {ReturnType<typeof sheetVerdict>} verdict what it comes to
 * @param {unknown} act what stands beside the points
 */
export function sheetForm(desk, claim, { drafts, shared }, { total, target, ranks, enough }, act = nothing) {
  const game = desk.picture?.game_id ?? "";
  const { rules } = /** @type {Api.Picture} */ (desk.picture);
  const sheet = drafts.sheetOf(claim.id);
  const hand = sheet.resources;
  const twice = drafts.heldByBoth(claim.id).map((name) => word("held_twice", { what: word(name) }));

  /**
   * @template {object} Target
   * @template {keyof Target} Name
   * @param {Target} target
   * @param {Name} name
   */
  const setter = (target, name) => (/** @type {Target[Name]} */ value) => {
    target[name] = value;
    keepSheet(desk, claim.id, sheet);
    shared.put(game, claim.id, sheet);
  };
  return html`<div class="sheet">
    <p class="hint" data-is="sheet-writer" aria-live="polite">${writerText(shared.author(game, claim.id))}</p>
    <p class="mistake" role="alert">${shared.trouble(game, claim.id).join(" ")}</p>
    <div class="steppers">${COUNTS.map((name) => stepper(name, name === "victory_cards" ? MOST_CARDS : rules[name], sheet[name], setter(sheet, name)))}</div>
    <div class="flags">${FLAGS.filter((name) => rules.foreign_bonus || !name.startsWith("foreign")).map((name) => flag(name, sheet[name], setter(sheet, name)))}</div>
    <p class="hint">${word("pieces", { ...sheet, most_settlements: rules.settlements, most_cities: rules.cities, roads: rules.roads })}</p>
    ${rules.play === "turns" ? nothing : html`<h2 class="sheet-hand">${word("resources_title")}</h2>
    <div class="steppers small">${RESOURCES.map((name) => stepper(name, MOST_RESOURCES, hand[name], setter(hand, name)))}</div>`}
    <p class="mistake" role="alert" ?hidden=${twice.length === 0}>${twice.join(" ")}</p>
    <div class="sheet-foot">
      <p class="sheet-points" data-enough=${enough}><strong>${word("points", { count: total })}</strong> ${ranks ? nothing : word("of_target", { target })}</p>
      ${act}
    </div>
  </div>`;
}
