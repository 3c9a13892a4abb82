// The question that stands: what to look at, big answers, once more, or skip with a reason. A question that somebody
// else has answered goes away by itself.

import { repeat } from "../vendor/lit-html/directives/repeat.js";
import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { symbol } from "../lib/components.js";
import { part, redraw, toggleIn } from "../lib/dom.js";
import { hasWord, told, word } from "../lib/words.js";

/** @import { SelftestActions } from "./selftest.js" */

/** @typedef {Selftest.OperatorQuestion} Question */

const BUZZ_MS = 60;
/** @type {Record<string, string>} */
const SYMBOLS = { sun_lamp: "sun", moon_lamp: "moon", pause_lamp: "pause", buzzer: "voice", pause_button: "press", display: "display", tables: "tab-map", walk: "tab-map", cable: "cable", mains: "mains", controller: "tab-hardware" };
const SIDES = /** @type {const} */ (["sun", "moon"]);
const SOUNDING = ["HRN", "SND"];
/** @type {Record<string, string>} */
const HEARD = { saw: "heard", not: "unheard" }; // what the answers are called where somebody listens
const WALK = "walk";
const REASONS = /** @type {const} */ (["selftest_reason_absent", "selftest_reason_no_time", "selftest_reason_out_of_reach"]);

/**
 * @param {string} answer
 * @param {string} code
 */
function answerText(answer, code) {
  const key = `selftest_answer_${(SOUNDING.includes(code) && HEARD[answer]) || answer}`;
  return hasWord(key) ? word(key) : answer;
}

/**
 * @param {"nc" | "no"} contact
 * @param {boolean | null | undefined} closed
 */
const contactSign = (contact, closed) => html`<span class="live-contact" data-level=${closed ? "closed" : "open"}>
  <span>${word(`hardware_contact_${contact}`)}</span><b>${word(closed ? "hardware_closed" : "hardware_open")}</b></span>`;

/**
 * What happens while a question stands: how far it has got, and the contacts of the pause button.
 * @param {Selftest.LiveView | null} view
 */
function liveView(view) {
  if (view === null) return nothing;
  const { text, text_key: key, done, of, closed } = view;
  return html`<div class="live-view" data-is="live">
    <p class="live-text">${told(text, key)}</p>
    <ol class="live-dots">${Array.from({ length: of }, (_, index) => html`<li class=${index < done ? "done" : ""}></li>`)}</ol>
    <div class="live-contacts">${closed === null ? nothing : [contactSign("no", closed[0]), contactSign("nc", closed[1])]}</div>
  </div>`;
}

/** @param {SelftestActions} actions */
export function questionCard(actions) {
  /** @type {Question | null} */
  let question = null;
  let sent = false;
  let skipping = false;
  /** @type {Set<string> | null} */
  let named = null; // what was not seen, while that is asked

  /**
   * @param {string} answer
   * @param {string} reason
   */
  async function reply(answer, reason = "") {
    const asked = question;
    if (asked === null) return;
    sent = true;
    if ((await actions.do("answer", { question: asked.id, answer, reason })) || question?.id !== asked.id) return;
    sent = false;
    redraw();
  }

  /** @param {boolean} open */
  function openSkip(open) {
    skipping = open;
    redraw();
    if (open) part("reason").focus();
  }

  const typed = () => html`<form class="fields" @submit=${() => reply(part("typed").value.trim())}>
    <label class="wide"><span>${word("selftest_typed")}</span><input data-is="typed" aria-label=${word("selftest_typed")} required maxlength="200"></label>
    <button class="strong">${word("selftest_send")}</button></form>`;

  /** @param {Question} asked */
  function answers({ answers: possible, names, code }) {
    if (possible.length === 0) return typed();
    return possible.map((answer, index) => {
      const asksNames = answer === "not" && names.length > 0;
      const act = () => {
        if (asksNames) named = new Set();
        else reply(answer);
      };
      return html`<button type="button" class=${index === 0 ? "strong" : "other"} @click=${act}>${answerText(answer, code)}</button>`;
    });
  }

  /**
   * "Not" where it can be said of which: the names come up to be chosen.
   * @param {string[]} names
   * @param {Set<string>} chosen
   */
  function naming(names, chosen) {
    const chip = (/** @type {string} */ name) => {
      const side = SIDES.find((each) => name.endsWith(`-${each}`));
      const board = side === undefined ? name : name.slice(0, -side.length - 1);
      return html`<button type="button" class="toggle" aria-pressed=${chosen.has(name)} @click=${() => toggleIn(chosen, name)}>${board}${side === undefined ? nothing : html`${symbol(side)}<span class="only-spoken">${word(side)}</span>`}</button>`;
    };
    return html`<div class="names">
      <h3>${word("selftest_names")}</h3>
      <div class="chips">${names.map(chip)}</div>
      <button type="button" class="strong" @click=${() => reply("not", names.filter((name) => chosen.has(name)).join(" "))}>${chosen.size === 0 ? word("selftest_names_all") : word("selftest_names_send", { count: chosen.size })}</button>
    </div>`;
  }

  const skip = () => html`<form class="why-skip" @submit=${() => reply("skip", part("reason").value.trim())}>
    <p>${word("selftest_why_skip")}</p>
    <div class="row">${REASONS.map((key) => word(key)).map((reason) => html`<button type="button" @click=${() => reply("skip", reason)}>${reason}</button>`)}</div>
    <div class="fields">
      <label class="wide"><span>${word("selftest_reason")}</span><input data-is="reason" maxlength="400" required></label>
      <button>${word("selftest_skip_now")}</button>
      <button type="button" @click=${() => openSkip(false)}>${word("cancel")}</button>
    </div>
  </form>`;

  /**
   * @param {Question} asked
   * @param {Selftest.SelftestSnapshot} snapshot
   */
  const body = (asked, { progress, live }) => html`
    <p class="question-head"><b class="code">${asked.code}</b><span>${progress === null ? "" : told(progress.title, progress.title_key)}</span></p>
    <div class="question-body">
      <span class="question-picture" data-picture=${asked.picture}>${SYMBOLS[asked.picture] === undefined ? nothing : symbol(SYMBOLS[asked.picture] ?? "")}</span>
      <p class="question-text" data-is="question-text">${told(asked.text, asked.text_key)}</p>
    </div>
    ${liveView(live)}
    ${named === null ? html`<div class="answers">${answers(asked)}</div>` : naming(asked.names, named)}
    ${skipping ? skip() : html`<div class="row second">
      <button type="button" @click=${() => reply("retry")}>${word("selftest_retry")}</button>
      <button type="button" ?hidden=${!asked.may_skip} @click=${() => openSkip(true)}>${word("selftest_skip")}</button>
    </div>`}`;

  return {
    reply,
    /** @param {Selftest.SelftestSnapshot} snapshot */
    take(snapshot) {
      const isNew = snapshot.question !== null && snapshot.question.id !== question?.id;
      question = snapshot.question;
      if (!isNew) return;
      [sent, skipping, named] = [false, false, null];
      if (navigator.userActivation?.hasBeenActive) navigator.vibrate?.(BUZZ_MS);
    },
    /** @param {Selftest.SelftestSnapshot} snapshot */
    draw(snapshot) {
      const asked = question === null || question.live === WALK ? [] : [question];
      return html`<section class="card question" data-is="question" data-sent=${sent} aria-live="assertive" ?hidden=${asked.length === 0}>
        ${repeat(asked, ({ id }) => id, (each) => body(each, snapshot))}
      </section>`;
    },
  };
}
