// The self-test's page: whoever opens it sees the same test, and whoever answers first has answered.

import { html, nothing, render } from "./vendor/lit-html/lit-html.js";
import { Actions } from "./components/actions.js";
import { technicianHead } from "./components/head.js";
import { Feed } from "./feed.js";
import { OpenFeed } from "./open_feed.js";
import { startTheme } from "./theme.js";
import { beginCard } from "./selftest/begin.js";
import { questionCard } from "./selftest/question.js";
import { reportsCard, trendCard } from "./selftest/reports.js";
import { resultsCard } from "./selftest/results.js";
import { strip } from "./selftest/strip.js";
import { walkView } from "./selftest/walk.js";

/** @typedef {Actions<"answer" | "begin" | "mend" | "stop", object>} SelftestActions */

startTheme();

/** @type {Selftest.SelftestSnapshot | null} */
let newest = null;
let open = false;
let anew = false; // another test is wanted here; on other phones the last one stays on

const feed = new Feed({ onPicture: () => {}, onNews: draw });
/** @type {SelftestActions} */
const actions = new Actions({ path: "/api/selftest", redraw: draw });
const begin = beginCard(actions, draw);
const question = questionCard(actions, draw);
const results = resultsCard(actions, draw);
const reports = reportsCard(draw);
const walk = walkView(question.reply, draw);

const stripActs = {
  stop: () => actions.do("stop"),
  anew: () => {
    anew = true;
    draw();
  },
};

/** @param {Selftest.SelftestSnapshot} snapshot */
function standingOf({ standing }) {
  return anew && (standing === "ended" || standing === "failed") ? "idle" : standing;
}

/** @param {Selftest.SelftestSnapshot} snapshot */
function cards(snapshot) {
  const standing = standingOf(snapshot);
  return html`
    ${strip(snapshot, standing, stripActs)}
    <div class="column">
      ${begin(snapshot, standing === "idle" || standing === "failed")}${question.draw(snapshot)}
      ${results(standing === "idle" ? [] : snapshot.results, standing === "running")}
    </div>
    <div class="column side">${trendCard(standing === "ended" ? snapshot.report : null)}${reports.draw()}</div>`;
}

function draw() {
  document.body.dataset.open = String(open);
  if (newest !== null) document.body.dataset.standing = standingOf(newest);
  const page = html`
    ${technicianHead({ path: "/technician/selftest", feed, lost: !open })}
    ${walk.draw()}
    <main>${newest === null ? nothing : cards(newest)}</main>
    ${actions.draw()}`;
  render(page, document.body);
  walk.settle();
}

/** @param {Selftest.SelftestSnapshot} snapshot */
function take(snapshot) {
  if (snapshot.session !== newest?.session) anew = false;
  newest = snapshot;
  for (const part of [question, walk, reports]) part.take(snapshot);
  draw();
}

/** @param {boolean} now */
function setOpen(now) {
  open = now;
  draw();
}

new OpenFeed({ path: "/api/selftest/feed", onMessage: take, onOpen: setOpen }).open();
