// Rival claims side by side: what each sheet has in every step of the tie-break, and the step that decides.

import { html, nothing } from "../../vendor/lit-html/lit-html.js";
import { claimant } from "../../components/claimant.js";
import { word } from "../../words.js";
import { ladderOf } from "./count.js";

/**
 * @import { Sheet } from "./count.js"
 * @typedef {{ claim: Api.ClaimView, ladder: ReturnType<typeof ladderOf> }} Rival
 */

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
