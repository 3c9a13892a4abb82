// The virtual hall: the panel and the tables as their feeds say, and hands for their buttons and faults.

import { html, render } from "./vendor/lit-html/lit-html.js";
import { trouble } from "./components/head.js";
import { languageMenu, themeButton, wayTo } from "./components/language.js";
import { part } from "./dom.js";
import { Feed } from "./feed.js";
import { liveView } from "./live.js";
import { startTheme } from "./theme.js";
import { word } from "./words.js";
import { simulatedPanel } from "./sim/panel.js";
import { VirtualTables } from "./sim/tables.js";

startTheme();

const feed = new Feed({ onPicture: () => {}, onNews: draw });
const panel = simulatedPanel(draw);
const tables = new VirtualTables(draw);

function draw() {
  const page = html`
    <header><h1>${word("sim_title")}</h1><nav><a href=${wayTo("/")}>${word("to_hall")}</a><a href=${wayTo("/director")}>${word("to_director")}</a>${languageMenu()}${themeButton()}</nav>${trouble(feed)}</header>
    <main>
      ${panel.draw()}
      <aside><section class="card"><h2>${word("live_title")}</h2><div data-is="live"></div></section>${panel.drawFaults()}</aside>
      ${tables.draw()}
    </main>
    ${tables.detail.draw()}`;
  render(page, document.body);
}

function frame() {
  render(liveView(feed), part("live"));
  tables.drawSeen();
  requestAnimationFrame(frame);
}

draw();
panel.listen();
tables.listen();
frame();
