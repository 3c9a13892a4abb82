// Who directs, at the head of the page and among what is prepared. Taking over is two steps: the one who directs is told.

import { html, nothing } from "../../vendor/lit-html/lit-html.js";
import { reasons } from "../../components/reasons.js";
import { timeText, word } from "../../words.js";
import { nameOf } from "./following.js";

/** @import { Directing, Director, DirectingView } from "./following.js" */

const SURE_FOR_MS = 15_000;

/**
 * @param {Directing} directing
 * @param {() => void} redraw
 */
export function directingViews(directing, redraw) {
  let sure = false;
  /** @type {number | undefined} */
  let unasked;

  /** @param {boolean} asked */
  function ask(asked) {
    sure = asked;
    clearTimeout(unasked);
    if (asked) unasked = setTimeout(() => ask(false), SURE_FOR_MS);
    redraw();
  }

  function takeOver() {
    ask(false);
    directing.takeOver();
  }

  const question = () => html`<div class="sure" data-is="take-over-sure">
    <p>${word("take_over_sure", { name: directing.name })}</p>
    <button type="button" class="danger" data-is="take-over-now" @click=${takeOver}>${word("take_over_yes")}</button>
    <button type="button" @click=${() => ask(false)}>${word("cancel")}</button>
  </div>`;

  /** What a glance must show while there is more than one director; nothing for one alone. */
  function line() {
    const { news, refused, watching, others } = directing;
    if (others.length === 0 && !watching && news === "") return nothing;
    const said = watching ? word("directing_other", { name: directing.name }) : word(directing.directs === null ? "directing_nobody" : "directing_own");
    return html`<section class="directing" data-is="directing" data-watching=${watching} aria-label=${word("directing_title")}>
      <p class="directing-who" role="status">${said}</p>
      ${watching ? html`<button type="button" class="small" data-is="take-over" aria-expanded=${sure} @click=${() => ask(!sure)}>${word("take_over")}</button>` : nothing}
      ${watching && sure ? question() : nothing}
      ${news === "" && refused.length === 0 ? nothing : html`<div class="directing-news" role="alert">${reasons([news, ...refused].filter(Boolean), { is: "directing-news" })}
        <button type="button" class="plain" aria-label=${word("close")} @click=${() => directing.close()}>×</button></div>`}
    </section>`;
  }

  /** @param {Director} director */
  function person(director) {
    const { number, here } = director;
    const hand = html`<button type="button" data-is="hand-over" @click=${() => directing.handOver(number)}>${word("hand_over_to", { name: nameOf(director) })}</button>`;
    return html`<li class="person"><span class="person-name">${nameOf(director)}</span><span class="hint">${word(here ? "director_here" : "director_away")}</span>
      ${here && !directing.watching ? hand : nothing}</li>`;
  }

  /** @param {DirectingView["changes"][number]} change */
  const change = (change) => html`<li><time>${timeText(Date.parse(change.at), { seconds: false })}</time> ${word(`direct_${change.how}`, { name: nameOf(change) })}</li>`;

  function card() {
    const { name, others, view } = directing;
    return html`<section class="card directing-card" data-is="directing-card">
      <h2>${word("directing_title")}</h2>
      <p>${name === "" ? word("directing_nobody") : word("directing_is", { name })}</p>
      <ul class="people">${others.map(person)}</ul>
      <ol class="direct-changes">${(view?.changes ?? []).map(change)}</ol>
      <p class="hint">${word("directing_help")}</p>
    </section>`;
  }

  return { line, card };
}
