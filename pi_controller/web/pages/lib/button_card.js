// A USB key as the pause button: chosen by pressing it, tried, taken away. A card of the director's Setup and of the hardware test.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { once, symbol } from "./components.js";
import { redraw } from "./dom.js";
import { answerOf } from "./feed.js";
import { told, word } from "./words.js";

/** @typedef {Selftest.ButtonView} KnownButton */

const LOOK_MS = 200;
const TRY_LOOKS = 100; // for 20 s
const LIT_LOOKS = 3; // a short press is seen, too

/** The card; nothing where the settings have no USB key as the pause button. */
export function buttonCard() {
  /** @type {KnownButton | null} */
  let known = null;
  let mistake = "";
  let trying = 0; // looks that are left
  let lit = 0;
  let waiting = false;
  let deeds = 0;

  /** @param {KnownButton} now */
  function take(now) {
    const before = known;
    known = now;
    lit = now.pressed || now.presses !== (before ?? now).presses ? LIT_LOOKS : Math.max(0, lit - 1);
    const chosen = before?.choosing === true && !now.choosing && now.key !== null && now.sentence === null;
    trying = chosen ? TRY_LOOKS : Math.max(0, trying - 1);
  }

  /** @param {{ do: "choose" | "forget" | "stop" }} [body] without it, it is only looked */
  async function ask(body) {
    const since = body === undefined ? deeds : ++deeds;
    const { answer, problem } = await answerOf("/api/button", body === undefined ? {} : { body });
    if (since !== deeds) return; // a look that was sent before a deed may tell what was before it
    mistake = problem;
    if (answer !== null) take(answer);
    lookAgain();
    redraw();
  }

  function lookAgain() {
    if (waiting || !(known?.choosing || trying > 0 || lit > 0)) return;
    waiting = true;
    setTimeout(() => {
      waiting = false;
      ask();
    }, LOOK_MS);
  }

  function startTrying() {
    trying = TRY_LOOKS;
    return ask();
  }

  const button = (/** @type {string} */ is, /** @type {string} */ text, /** @type {() => Promise<unknown>} */ act, look = "") =>
    html`<button type="button" class=${look} data-is=${is} @click=${once(act)}>${text}</button>`;

  const choosing = () => html`<div class="button-now" role="status">${symbol("press")}<p><strong>${word("button_press_now")}</strong>${word("button_press_help")}</p></div>
    <div class="row">${button("button-stop", word("cancel"), () => ask({ do: "stop" }))}</div>`;

  const none = () => html`<p class="hint">${word("button_help")}</p>
    <div class="row">${button("button-choose", word("button_choose"), () => ask({ do: "choose" }), "strong")}</div>`;

  const state = () => html` · <strong>${word(lit > 0 ? "button_is_pressed" : "button_is_released")}</strong>`;

  const chosen = (/** @type {KnownButton} */ { name, key, sentence }) => html`<div class="button-light" data-is="button-light" data-lit=${lit > 0}>
      ${symbol(sentence === null ? "pause" : "warning")}<p><b>${name}</b><span>${word("button_key", { key: key ?? "" })}${sentence === null ? state() : nothing}</span></p>
    </div>
    ${trying > 0 ? html`<p class="hint" role="status">${word("button_try_help")}</p>` : nothing}
    <div class="row">
      ${button("button-try", word("button_try"), startTrying)}
      ${button("button-choose", word("button_choose_other"), () => ask({ do: "choose" }))}
      ${button("button-forget", word("button_forget"), () => ask({ do: "forget" }))}
    </div>`;

  const body = (/** @type {KnownButton} */ now) => (now.choosing ? choosing() : now.key === null ? none() : chosen(now));

  ask();
  return () => (known?.usable
    ? html`<section class="card button-card" data-is="button-card">
        <h2>${word("button_title")}</h2>
        ${body(known)}
        <p class="mistake" data-is="button-mistake" role="alert">${mistake || (known.choosing ? "" : (told(known.sentence, known.sentence_key) ?? ""))}</p>
      </section>`
    : nothing);
}
