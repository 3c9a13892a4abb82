// The director's line on all screens, the free countdown for doors and breaks, and the hall's public word.

import { html } from "../vendor/lit-html/lit-html.js";
import { options } from "../components/list.js";
import { part } from "../dom.js";
import { word } from "../words.js";

/** @import { Desk } from "./desk.js" */

const LENGTHS = /** @type {const} */ ([
  ["", "sayUntil"],
  ["15", "sayFor15"],
  ["60", "sayFor60"],
]);

/** @param {Desk} desk */
export function sayCard(desk) {
  /** @param {string} text */
  function say(text) {
    if (text.trim() === "") return part("say-text").focus();
    const seconds = part("say-for").value;
    desk.send("say", seconds === "" ? { text } : { text, seconds: Number(seconds) });
  }
  return html`<section class="card">
    <h2>${word("sayTitle")}</h2>
    <div class="prepared">${word("prepared").map((line) => desk.button("say", line, () => say(line)))}</div>
    <div class="fields">
      <label class="wide"><span class="only-spoken">${word("sayHint")}</span><input data-is="say-text" maxlength="200" placeholder=${word("sayHint")} autocomplete="off"></label>
      <label><span>${word("sayFor")}</span><select data-is="say-for">${options(LENGTHS.map(([value, key]) => [value, word(key)]))}</select></label>
      ${desk.button("say", word("say"), () => say(part("say-text").value), { is: "say" })}
      ${desk.button("say", word("unsay"), () => desk.send("say", { text: "" }), { is: "unsay", hidden: !desk.picture?.message })}
    </div>
    ${desk.against("say")}
  </section>`;
}

/** @param {Desk} desk */
export function timerCard(desk) {
  function start() {
    const minutes = part("timer-minutes");
    if (!minutes.reportValidity() || minutes.value === "") return;
    desk.send("timer", { label: part("timer-label").value, seconds: Number(minutes.value) * 60 });
  }
  return html`<section class="card">
    <h2>${word("timerTitle")}</h2>
    <div class="fields">
      <label class="wide"><span class="only-spoken">${word("timerHint")}</span><input data-is="timer-label" maxlength="60" placeholder=${word("timerHint")} autocomplete="off"></label>
      <label><span>${word("timerMinutes")}</span><input data-is="timer-minutes" type="number" min="0.5" max="1440" step="0.5" value="10" inputmode="decimal"></label>
      ${desk.button("timer", word("timerStart"), start, { is: "timer-start" })}
      ${desk.button("timer", word("timerStop"), () => desk.send("timer", { stop: true }), { is: "timer-stop", hidden: !desk.picture?.timer })}
    </div>
    ${desk.against("timer")}
  </section>`;
}

/**
 * Only while a word may be given, or when there is one.
 * @param {Desk} desk
 */
export function wordCard(desk) {
  const spoken = desk.picture?.public_word ?? null;
  const hidden = desk.picture !== null && desk.picture.phase !== "ready" && spoken === null;
  function seal() {
    const text = part("word-text").value;
    if (text.trim() === "") return part("word-text").focus();
    desk.send("contribute", { text });
  }
  return html`<section class="card" data-is="word-card" ?hidden=${hidden}>
    <h2>${word("wordTitleDirector")}</h2>
    <p class="hint">${spoken === null ? word("noWord") : word("wordNow", { text: spoken })}</p>
    <div class="fields">
      <label class="wide"><span class="only-spoken">${word("wordHint")}</span><input data-is="word-text" maxlength="200" placeholder=${word("wordHint")} autocomplete="off"></label>
      ${desk.button("contribute", word("wordGo"), seal, { is: "word-go" })}
    </div>
    ${desk.against("contribute")}
  </section>`;
}
