// The technician's page: what the tables say, and what can be done to them.

import { html, nothing, render } from "./vendor/lit-html/lit-html.js";
import { Actions } from "./components/actions.js";
import { symbol } from "./components/symbol.js";
import { hallsCard } from "./components/linked.js";
import { technicianHead } from "./components/head.js";
import { soundCard } from "./components/sound.js";
import { jsonOf } from "./asked.js";
import { part } from "./dom.js";
import { Feed } from "./feed.js";
import { startTheme } from "./theme.js";
import { HallMap } from "./tables/map.js";
import { TablesHub } from "./tables/hub.js";
import { standingsOf } from "./tables/reading.js";
import { word } from "./words.js";
import { diagnosisCard, segmentsCard, sparesCard } from "./technician/bus.js";
import { detailsCard } from "./technician/details.js";
import { enrolmentCard, walkView } from "./technician/enrolment.js";
import { rosterCard } from "./technician/roster.js";

/**
 * @import { Board } from "./tables/reading.js"
 * @import { KnownHub } from "./tables/hub.js"
 * @typedef {Actions<Api.TableAction["do"], Omit<Api.TableAction, "do">>} TableActions
 */

startTheme();

const feed = new Feed({ onPicture: () => {}, onNews: draw });
const sound = soundCard(feed, draw, { tests: true });
const hub = new TablesHub(draw);
/** @type {TableActions} */
const actions = new Actions({ path: "/api/tables", redraw: draw, onDone: () => hub.fetchRoster() });
const details = detailsCard(actions, draw, decodeURIComponent(location.hash.slice(1)));
const enrolment = enrolmentCard(actions, draw);
const walk = walkView(actions);
const roster = rosterCard(hub, draw);
const map = new HallMap({ size: "large", onChoose: (name) => details.choose(name) });

let software = "";

async function fetchSoftware() {
  const session = await jsonOf("/api/session");
  if (session === null) return;
  const { version, source } = session.software;
  software = word("software", { version, source: source || "–" });
  draw();
}

/** @param {Board[]} boards */
const summary = (boards) => html`<ul class="summary">${standingsOf(boards).map(([standing, those]) => html`
  <li class="pill" data-node=${standing}>${symbol(`node-${standing}`)}<b>${those.length}</b><span>${word(`node_${standing}`)}</span></li>`)}</ul>`;

/** @param {KnownHub} known */
function mapCard(known) {
  const none = known.boards.length === 0;
  const marks = { chosen: details.chosen, next: known.snapshot.enrolment?.next_board };
  return html`<section class="card map-card">
    <h2>${word("hall_map")}</h2>
    <p class="hint" ?hidden=${none}>${word("map_help")}</p>
    <div data-is="map" ?hidden=${none}>${map.draw(known, marks)}</div>
    ${none ? html`<div class="empty" data-is="no-roster"><b>${word("no_roster")}</b><p>${word("no_roster_help")}</p><button type="button" class="strong" @click=${roster.edit}>${word("no_roster_go")}</button></div>` : nothing}
  </section>`;
}

/** @param {KnownHub} known */
const cards = (known) => html`
  ${diagnosisCard(known)}${mapCard(known)}${details.draw(known)}${segmentsCard(known)}${enrolment(known)}
  ${sparesCard(known, actions)}${roster.draw(known)}${sound()}`;

function draw() {
  const { known } = hub;
  document.body.dataset.open = String(hub.open);
  const page = html`
    ${technicianHead({ path: "/technician", feed, lost: !hub.open, summary: summary(hub.boards) })}
    ${walk(known)}
    <main>${known === null ? nothing : cards(known)}${hallsCard(feed.picture, feed.coreNow())}</main>
    <footer class="hint" data-is="software">${software}</footer>
    ${actions.draw()}`;
  render(page, document.body);
  if (known !== null) map.follow(part("map"), draw);
}

draw();
fetchSoftware();
