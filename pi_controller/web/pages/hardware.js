// The hardware test: every output by hand, every contact live. On while this page holds its line to the controller.

import { furnish, make, part } from "./dom.js";
import { startTheme } from "./theme.js";
import { troubleFeed } from "./trouble.js";
import { OpenFeed } from "./open_feed.js";
import { word } from "./words.js";
import { edgesCard } from "./hardware/timeline.js";
import { fittedPairs } from "./hardware/fitted.js";
import { holdCard } from "./hardware/hold.js";
import { inputsCard } from "./hardware/inputs.js";
import { Line } from "./hardware/line.js";
import { nodesCard } from "./hardware/nodes.js";
import { outputsCard } from "./hardware/outputs.js";

/** @import { LineState } from "./hardware/line.js" */

furnish(word);
document.title = word("hwTitle");
startTheme();
troubleFeed();

/** @type {{ snapshot: Pick<Api.TablesSnapshot, "nodes"> }} */
const hall = { snapshot: { nodes: [] } };
const line = new Line({ onState: takeState, onNews: takeNews });
const [hold, outputs, inputs, edges] = [holdCard(line), outputsCard(line), inputsCard(), edgesCard(fetchEdges)];
const nodes = nodesCard(line, hall);

/** @param {number} since */
async function fetchEdges(since) {
  const { result = { edges: [], dropped: 0 } } = await line.probe({ do: "edges", since });
  return result;
}

/** @param {LineState} news */
function takeState(news) {
  const held = news.state === "held";
  document.body.dataset.state = news.state;
  hold.take(news);
  for (const control of document.querySelectorAll("main .card:not(.hold, .edges-card) :is(button, select)")) control.toggleAttribute("disabled", !held);
  outputs.reset();
  nodes.reset();
  inputs.take(null);
  if (held) edges.begin();
  else edges.end();
  if (news.state === "held") part("fitted").replaceChildren(...fittedPairs(news.settings).map(([name, text]) => make("div", "", [make("dt", "", name), make("dd", "", text)])));
  part("fitted").closest("section")?.toggleAttribute("hidden", !held);
}

/** @param {Api.TestNews} test */
function takeNews(test) {
  const { inputs: levels = null, edges: came = null, pressed = null } = test;
  if (levels !== null) inputs.take(levels);
  if (levels !== null || came !== null) edges.take(test);
  if (pressed !== null) nodes.press(pressed);
}

new OpenFeed({
  path: "/api/tables/feed",
  onMessage: (snapshot) => {
    hall.snapshot = snapshot;
    nodes.draw();
  },
  onOpen: () => {},
}).open();
nodes.draw();
takeState({ state: "idle" });
addEventListener("pagehide", () => line.close());
