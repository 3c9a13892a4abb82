// The ranking of checked sheets, with the step that decides between one and the next.

import { html, nothing } from "../../vendor/lit-html/lit-html.js";
import { claimant } from "../../components/claimant.js";
import { word } from "../../words.js";

/** @param {Api.Picture} picture */
export function rankingList(picture) {
  const { ranking } = picture;
  if (picture.phase !== "collecting" && ranking.length < 2) return nothing;
  return html`<section class="ranking-box" data-is="ranking" aria-live="polite">
    <h2>${word("ranking")}</h2>
    ${ranking.length === 0 ? html`<p class="hint">${word("ranking_empty")}</p>` : html`<ol class="ranking">${ranking.map((ranked) => line(picture, ranked))}</ol>`}
  </section>`;
}

/**
 * @param {Api.Picture} picture
 * @param {Api.RankedView} ranked
 */
function line(picture, ranked) {
  const points = ranked.points === null ? "" : word("points", { count: ranked.points });
  return html`<li class=${ranked.place === 1 ? "first" : ""}><span class="claim-order">${ranked.place}.</span>
    ${claimant(picture, ranked)}
    <b>${points}</b><span class="hint">${picture.ranking.length > 1 ? word(`rank_${ranked.decided_by}`) : ""}</span></li>`;
}
