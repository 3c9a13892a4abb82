// Rival claims side by side: what each sheet has in every step of the tie-break, and the step that decides.

import { html, nothing } from "../../vendor/lit-html/lit-html.js";
import { claimant } from "../../components/claimant.js";
import { inTurns } from "../../reading.js";
import { nameOf } from "../../seats.js";
import { word } from "../../words.js";
import { ladderOf } from "./count.js";

/**
 * @import { Sheet } from "./count.js"
 * @typedef {{ claim: Api.ClaimView, ladder: ReturnType<typeof ladderOf> }} Rival
 */

/** @type {ReadonlySet<Api.Picture["phase"]>} */
const IN_PLAY = new Set(["round", "robber", "founding", "turn"]);

/**
 * The first step in which two differ; null where all are equal.
 * @param {Rival} one
 * @param {Rival} other
 */
function firstDifference(one, other) {
  return one.ladder.find(([, value], index) => value !== other.ladder[index]?.[1])?.[0] ?? null;
}

/**
 * @param {Rival} one
 * @param {Rival} other
 */
function better(one, other) {
  const at = one.ladder.findIndex(([, value], index) => value !== other.ladder[index]?.[1]);
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
  const who = winners.map(({ board, side }) => `${board ?? ""} ${nameOf(picture, side)}`.trim()).join(", ");
  return word("verdict_wins", { who, count: winners.length });
}

/**
 * What is said of closing a claim: where that ends the game also who wins then.
 * @param {Api.Picture} picture
 * @param {Api.ClaimView} claim
 * @param {string} what the verdict or the withdrawal alone
 * @param {number | null} points those with which its sheet confirms it
 */
export function closingText(picture, claim, what, points) {
  const waiting = picture.claims.filter(({ passed, status }) => status === "open" && !passed);
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
    const sheet = claim.status === "confirmed" || (claim.status === "open" && !claim.passed) ? sheetOf(claim.id) : null;
    return sheet === null ? [] : [{ claim, ladder: ladderOf(sheet) }];
  });
  const [first, second] = found.sort(better);
  if (first === undefined || second === undefined) return nothing;
  const step = firstDifference(first, second) ?? "shared";
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
