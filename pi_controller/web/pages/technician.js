// The technician's page: what the tables say, and what can be done to them.

import { render } from "./vendor/lit-html/lit-html.js";
import { furnish, make, part, show, symbol } from "./dom.js";
import { startTheme } from "./theme.js";
import { troubleFeed } from "./trouble.js";
import { HallMap } from "./tables/map.js";
import { TablesHub } from "./tables/hub.js";
import { standingsOf } from "./tables/reading.js";
import { word } from "./words.js";
import { Deeds } from "./technician/deeds.js";
import { detailsCard } from "./technician/details.js";
import { doctorCard } from "./technician/doctor.js";
import { enrolment } from "./technician/enrolment.js";
import { rosterCard } from "./technician/roster.js";
import { segmentsCard } from "./technician/segments.js";
import { sparesCard } from "./technician/spares.js";

/**
 * @import { Board, Standing } from "./tables/reading.js"
 */

furnish(word);
document.title = word("technicianTitle");
startTheme();
troubleFeed();

const hub = new TablesHub(draw);
const deeds = new Deeds(hub);
const details = detailsCard(deeds, () => draw(hub));
const map = new HallMap({ size: "large", onChoose: (name) => details.choose(name) });
map.follow(part("map"), () => draw(hub));
const cards = [doctorCard(), details, segmentsCard(), sparesCard(deeds), enrolment(deeds), rosterCard(hub)];

/** @param {[Standing, Board[]]} entry */
function pill([standing, boards]) {
  const item = make("li", "pill", [symbol(`node-${standing}`), make("b", "", String(boards.length)), make("span", "", word(`node_${standing}`))]);
  item.dataset.node = standing;
  return item;
}

/** @param {TablesHub} hub */
function draw({ open, roster, snapshot, boards }) {
  show(part("lost"), !open);
  document.body.dataset.open = String(open);
  if (roster === null || snapshot === null) return;
  part("summary").replaceChildren(...standingsOf(boards).map(pill));
  show(part("no-roster"), boards.length === 0);
  show(part("map"), boards.length > 0);
  show(part("map-hint"), boards.length > 0);
  render(map.draw(roster, boards, { chosen: details.chosen, next: snapshot.enrolment?.next_board ?? null }), part("map"));
  for (const card of cards) card.take({ roster, snapshot, boards });
}

const asked = decodeURIComponent(location.hash.slice(1));
if (asked !== "") details.choose(asked);
