// The moderator's page: what to say now and next, the clock, claims, and notes from the director, to be read at one glance on a stage.

import { html, nothing, render } from "./vendor/lit-html/lit-html.js";
import { linkLine } from "./components/linked.js";
import { languageMenu, themeButton, transportWarning, wayTo } from "./components/language.js";
import { symbol } from "./components/symbol.js";
import { Feed } from "./feed.js";
import { claimsList } from "./moderator/claims.js";
import { clockCard } from "./moderator/clock.js";
import { moderatorNotes } from "./moderator/notes.js";
import { quietLines } from "./moderator/quiet.js";
import { spokenNext, spokenNow } from "./moderator/spoken.js";
import { linkNews } from "./reading.js";
import { isOld } from "./screen_texts.js";
import { COVERS } from "./texts.js";
import { startTheme } from "./theme.js";
import { word } from "./words.js";

/** @import { Speech } from "./moderator/spoken.js" */

const SHORT = 28; // signs that stand in one line of the largest letters
const FRAME_MS = 100; // a tenth is all that can be seen of whole seconds

startTheme();

const feed = new Feed({ onPicture: () => {}, onNews: draw });
const notes = moderatorNotes(draw);

/**
 * @param {string} name
 * @param {string} title
 * @param {Speech} speech
 */
const speechCard = (name, title, { lead, lines }) => html`<section class="speech ${name}" data-is="speak-${name}" ?hidden=${lead === ""}>
  <h2>${title}</h2><p class="said" data-short=${lead.length <= SHORT}>${lead}</p>
  ${lines.length === 0 ? nothing : html`<ul class="said-too">${lines.map((line) => html`<li>${line}</li>`)}</ul>`}
</section>`;

const top = () => html`<header class="top">${transportWarning()}<h1>${word("moderator_title")}</h1>
  <nav class="ways"><a href=${wayTo("/")}>${word("to_hall")}</a>${languageMenu()}${themeButton()}</nav></header>`;

/** @param {ReturnType<typeof feed.state>} state */
function cover(state) {
  const [title, help] = COVERS[state === "fresh" ? "waiting" : state];
  return html`<section class="cover" role="status">${symbol("link")}<div><p class="said">${word(feed.why === "" ? title : "not_started_title")}</p><p>${feed.why === "" ? word(help) : feed.why}</p></div></section>`;
}

function draw() {
  const { picture } = feed;
  const [state, coreNow] = [feed.state(), feed.coreNow()];
  const seen = picture !== null && coreNow !== null && state === "fresh";
  render(html`${top()}<main data-is="moderator" data-seen=${seen}>
    ${notes.unread()}
    ${seen ? linkLine(picture, coreNow) : nothing}
    ${seen && linkNews(picture, coreNow) === "none" ? notes.past() : seen ? html`${clockCard(picture, coreNow)}
      <div class="speaking" data-old=${isOld(picture)}>${speechCard("now", word("speak_now"), spokenNow(picture))}${speechCard("then", word("speak_then"), spokenNext(picture))}${notes.past()}</div>
      <div class="beside">${claimsList(picture)}${quietLines(picture, coreNow)}</div>`
    : html`${cover(state)}${notes.past()}`}
  </main>`, document.body);
}

setInterval(draw, FRAME_MS);
draw();
