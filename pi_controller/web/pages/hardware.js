// The hardware test: every output by hand, every contact live. On while this page holds its line to the controller.

import { html, nothing, render } from "./vendor/lit-html/lit-html.js";
import { factList } from "./components/list.js";
import { technicianHead } from "./components/head.js";
import { Feed } from "./feed.js";
import { OpenFeed } from "./open_feed.js";
import { startTheme } from "./theme.js";
import { word } from "./words.js";
import { edgesCard } from "./hardware/timeline.js";
import { fittedFacts } from "./hardware/fitted.js";
import { holdCard } from "./hardware/hold.js";
import { inputsCard } from "./hardware/inputs.js";
import { Line } from "./hardware/line.js";
import { nodesCard } from "./hardware/nodes.js";
import { outputsCard } from "./hardware/outputs.js";

/** @import { LineState } from "./hardware/line.js" */

startTheme();

/** @type {LineState} */
let state = { state: "idle" };
/** @type {Api.Inputs | null} */
let contacts = null;
/** @type {Api.NodeView[]} */
let nodeViews = [];
const feed = new Feed({ onPicture: () => {}, onNews: draw });
const line = new Line({ onState: takeState, onNews: takeNews });
const outputs = outputsCard(line, draw);
const edges = edgesCard(fetchEdges, draw);
const nodes = nodesCard(line, draw);

/** @param {number} since */
async function fetchEdges(since) {
  const { result = { edges: [], dropped: 0 } } = await line.probe({ do: "edges", since });
  return result;
}

/** @param {LineState} news */
function takeState(news) {
  state = news;
  contacts = null;
  outputs.reset();
  if (news.state === "held") edges.begin();
  else edges.end();
  nodes.reset();
  draw();
}

/** @param {Api.TestNews} test */
function takeNews(test) {
  const { inputs = null, edges: came = null, pressed = null } = test;
  contacts = inputs ?? contacts;
  if (pressed !== null) nodes.press(pressed);
  if (inputs !== null || came !== null) edges.take(test);
  draw();
}

/** @param {Api.Fitted} settings */
const fittedCard = (settings) => html`<section class="card fitted-card"><h2>${word("hardware_fitted")}</h2>${factList("fitted", "pair", fittedFacts(settings))}</section>`;

function draw() {
  document.body.dataset.state = state.state;
  const page = html`
    ${technicianHead({ path: "/technician/hardware", feed })}
    <main>
      ${holdCard(line, state)}${outputs.draw()}${inputsCard(contacts)}${edges.draw()}${nodes.draw(nodeViews)}
      ${state.state === "held" ? fittedCard(state.settings) : nothing}
    </main>`;
  render(page, document.body);
}

/** @param {Api.TablesSnapshot} snapshot */
function takeTables(snapshot) {
  nodeViews = snapshot.nodes;
  draw();
}

new OpenFeed({ path: "/api/tables/feed", onMessage: takeTables, onOpen: () => {} }).open();
addEventListener("pagehide", () => line.close());
draw();
