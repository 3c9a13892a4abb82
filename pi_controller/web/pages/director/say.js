// The director's line on all screens, the free countdown for doors and breaks, and the hall's public word.

import { html } from "../vendor/lit-html/lit-html.js";
import { options } from "../components/list.js";
import { part } from "../dom.js";
import { word } from "../words.js";

/** @import { Desk } from "./desk.js" */

const LENGTHS = /** @type {const} */ ([
  ["", "say_until"],
  ["15", "say_for15"],
  ["60", "say_for60"],
]);

const PREPARED = /** @type {const} */ (["seats", "goes_on", "hands", "break", "thanks"]);

/** @param {Desk} desk */
export function sayCard(desk) {
  /** @param {{ text: string } | { line: (typeof PREPARED)[number] }} what */
  function say(what) {
    const seconds = part("say-for").value;
    desk.send("say", seconds === "" ? what : { ...what, seconds: Number(seconds) });
  }
  function sayTyped() {
    const text = part("say-text").value;
    if (text.trim() === "") return part("say-text").focus();
    say({ text });
  }
  return html`<section class="card">
    <h2>${word("say_title")}</h2>
    <div class="prepared">${PREPARED.map((line) => desk.button("say", word(`prepared_${line}`), () => say({ line })))}</div>
    <div class="fields">
      <label class="wide"><span class="only-spoken">${word("say_hint")}</span><input data-is="say-text" maxlength="200" placeholder=${word("say_hint")} autocomplete="off"></label>
      <label><span>${word("say_for")}</span><select data-is="say-for">${options(LENGTHS.map(([value, key]) => [value, word(key)]))}</select></label>
      ${desk.button("say", word("say"), sayTyped, { is: "say" })}
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
    <h2>${word("timer_title")}</h2>
    <div class="fields">
      <label class="wide"><span class="only-spoken">${word("timer_hint")}</span><input data-is="timer-label" maxlength="60" placeholder=${word("timer_hint")} autocomplete="off"></label>
      <label><span>${word("timer_minutes")}</span><input data-is="timer-minutes" type="number" min="0.5" max="1440" step="0.5" value="10" inputmode="decimal"></label>
      ${desk.button("timer", word("timer_start"), start, { is: "timer-start" })}
      ${desk.button("timer", word("timer_stop"), () => desk.send("timer", { stop: true }), { is: "timer-stop", hidden: !desk.picture?.timer })}
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
  async function seal() {
    const text = part("word-text").value;
    if (text.trim() === "") return part("word-text").focus();
    const { status } = await desk.send("contribute", { text });
    if (status === "accepted" && part("word-text").value === text) part("word-text").value = "";
  }
  return html`<section class="card" data-is="word-card" ?hidden=${hidden}>
    <h2>${word("word_title_director")}</h2>
    <p class="hint">${spoken === null ? word("no_word") : word("word_now", { text: spoken })}</p>
    <div class="fields">
      <label class="wide"><span class="only-spoken">${word("word_hint")}</span><input data-is="word-text" maxlength="200" placeholder=${word("word_hint")} autocomplete="off"></label>
      ${desk.button("contribute", word("word_go"), seal, { is: "word-go" })}
    </div>
    ${desk.against("contribute")}
  </section>`;
}
