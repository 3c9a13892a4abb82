// The tables at a glance: the hall map, what is lost, and who claims where.

import { html, nothing } from "../../vendor/lit-html/lit-html.js";
import { wayTo } from "../../components/language.js";
import { symbol } from "../../components/symbol.js";
import { HallMap } from "../../tables/map.js";
import { namesOf, standingsOf } from "../../tables/reading.js";
import { word } from "../../words.js";

/**
 * @import { TablesHub } from "../../tables/hub.js"
 * @import { Standing } from "../../tables/reading.js"
 * @import { Desk } from "../desk.js"
 */

/**
 * @param {TablesHub} hub
 * @returns {[Standing, string][]}
 */
function summaryLines({ known, open, boards }) {
  if (!open) return [["lost", word("map_lost")]];
  if (known === null) return [];
  if (boards.length === 0) return [["unfitted", word("map_empty")]];
  const troubles = standingsOf(boards).filter(([standing]) => standing !== "good");
  if (troubles.length === 0) return [["good", word("map_all_well", { count: boards.length })]];
  return troubles.map(([standing, ill]) => [standing, word("map_trouble", { standing: word(`node_${standing}`), boards: namesOf(ill) })]);
}

/**
 * Places of the open claims in the order of the presses, by board.
 * @param {Api.Picture | null} picture
 * @returns {Map<string, number>}
 */
export function claimPlaces(picture) {
  const places = new Map();
  for (const [index, { board, status }] of picture?.claims.entries() ?? []) {
    if (status === "open" && board !== null) places.set(board, index + 1);
  }
  return places;
}

/**
 * @param {Desk} desk
 * @param {TablesHub} hub
 */
export function tablesCard(desk, hub) {
  const map = new HallMap({ size: "small" });
  const summary = () => html`<ul class="map-summary">${summaryLines(hub).map(([standing, text]) => html`
    <li data-node=${standing}>${symbol(`node-${standing}`)}<span>${text}</span></li>`)}</ul>`;
  return {
    map,
    /** What is not in order in the hall; nothing where all is well. */
    troubles: () => (summaryLines(hub).every(([standing]) => standing === "good" || standing === "unfitted") ? nothing : summary()),
    draw() {
      const { known, open } = hub;
      return html`<section class="card tables-card" data-is="tables-card" data-open=${open}>
        <header class="card-top"><h2>${word("hall_map")}</h2><a href=${wayTo("/technician")}>${word("to_technician")}</a></header>
        <div data-is="map-summary">${summary()}</div>
        <div data-is="map" ?hidden=${known === null || known.boards.length === 0}>${known === null ? nothing : map.draw(known, { claims: claimPlaces(desk.picture) })}</div>
      </section>`;
    },
  };
}
