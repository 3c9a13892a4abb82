// The self-test's page: whoever opens it sees the same test, and whoever answers first has answered.

import { furnish, part, setData, show } from "./dom.js";
import { OpenFeed } from "./open_feed.js";
import { startTheme } from "./theme.js";
import { troubleFeed } from "./trouble.js";
import { word } from "./words.js";
import { beginCard } from "./selftest/begin.js";
import { questionCard } from "./selftest/question.js";
import { reportsCard } from "./selftest/reports.js";
import { resultsCard } from "./selftest/results.js";
import { stripCard } from "./selftest/strip.js";
import { trendCard } from "./selftest/trend.js";
import { walkView } from "./selftest/walk.js";

furnish(word);
document.title = word("stTitle");
startTheme();
troubleFeed();

/** @type {Selftest.SelftestSnapshot | null} */
let newest = null;
let anew = false; // another test is wanted here; on other phones the last one stays on

const [begin, question, results, trend, reports] = [beginCard(), questionCard(), resultsCard(), trendCard(), reportsCard()];
const walk = walkView(question.reply);
const strip = stripCard(() => {
  anew = true;
  draw();
});

function draw() {
  if (newest === null) return;
  const over = newest.standing === "ended" || newest.standing === "failed";
  const standing = over && anew ? "idle" : newest.standing;
  setData(document.body, "standing", standing);
  show(part("begin"), standing === "idle" || standing === "failed");
  strip.take(newest, standing);
  begin.take(newest);
  question.take(newest);
  walk.take(newest);
  results.take(standing === "idle" ? { results: [], standing } : newest);
  trend.take(standing === "ended" ? newest.report : null);
  reports.take(newest);
}

new OpenFeed({
  path: "/api/selftest/feed",
  onMessage: (snapshot) => {
    if (snapshot.session !== newest?.session) anew = false;
    newest = snapshot;
    draw();
  },
  onOpen: (open) => {
    show(part("lost"), !open);
    setData(document.body, "open", String(open));
  },
}).open();
