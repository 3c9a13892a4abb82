// For a hall that must go on without the controller: paper. And all of the evening on a stick: which one there is, how far it is, what is on it.

import { html, nothing } from "../../vendor/lit-html/lit-html.js";
import { repeat } from "../../vendor/lit-html/directives/repeat.js";
import { once } from "../../components/actions.js";
import { wayTo } from "../../components/language.js";
import { told, word } from "../../words.js";
import { modeNow } from "../mode.js";

/** @typedef {Selftest.StickView} Known */

const ASKED_EVERY_MS = 1_000;
const PATIENCE_MS = 10_000;
const PAPERS = /** @type {const} */ ([["all", "paper_all"], ["dice", "paper_dice"], ["sheets", "paper_sheets"]]);
const KIB = 1_024;

/** @param {Known} known */
function progress({ step, done, of }) {
  const text = of === 0 ? word("stick_begins") : step === "reports" ? word("stick_reports", { done, of }) : word("stick_writing", { done, of });
  return html`<div class="stick-progress" data-is="stick-progress">
    <p role="status">${text} <strong>${word("stick_leave_it")}</strong></p>
    <progress max=${of || 1} value=${done} aria-label=${word("stick_title")}></progress>
  </div>`;
}

/** @param {Known} known */
function written({ place, folder, files }) {
  const kib = Math.ceil(files.reduce((sum, file) => sum + file.bytes, 0) / KIB);
  const name = place.split("/").pop() ?? place;
  return html`<p class="stick-done" data-is="stick-done" role="status">${word("stick_done", { name, folder, count: files.length, kib })}</p>
    <details><summary>${word("stick_files")}</summary>
      <ul class="stick-files">${files.map((file) => html`<li><span>${file.name}</span><span>${word("stick_size", { kib: Math.ceil(file.bytes / KIB) })}</span></li>`)}</ul>
    </details>`;
}

/** @param {() => void} redraw */
export function paperCard(redraw) {
  /** @type {Known | null} */
  let known = null;
  let mistake = "";

  /** @param {object} [body] without it, it is only looked */
  async function ask(body) {
    const sent = body === undefined ? {} : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
    try {
      const response = await fetch("/api/stick", { ...sent, signal: AbortSignal.timeout(PATIENCE_MS) });
      const answer = await response.json();
      if (response.ok) known = answer;
      mistake = response.ok ? "" : told(String(answer.error), answer.reason_keys?.[0]);
    } catch (problem) {
      if (!(problem instanceof TypeError || problem instanceof DOMException)) throw problem;
      if (body !== undefined) mistake = word("action_failed");
    }
    redraw();
  }

  /** @param {Known["sticks"][number]} stick */
  function row({ place, name, free_kib: free, read_only: onlyRead }) {
    const facts = onlyRead ? word("stick_only_read") : free === null ? "" : word("stick_free", { mb: Math.floor(free / KIB) });
    return html`<li class="stick">
      <span class="stick-name">${name}</span><span class="hint">${facts}</span>
      <button type="button" data-is="stick-save" ?disabled=${onlyRead} @click=${once(() => ask({ place, seen: known?.number ?? 0 }))}>${word("stick_save", { name })}</button>
    </li>`;
  }

  /** @param {Known} now */
  const sticks = (now) => html`<ul class="sticks">${now.sticks.length === 0 ? html`<li class="hint" data-is="stick-none">${word("stick_none")}</li>` : repeat(now.sticks, ({ place }) => place, row)}</ul>`;

  const look = () => void (document.hidden || modeNow() !== "setup" || ask());
  look();
  addEventListener("hashchange", look);
  setInterval(look, ASKED_EVERY_MS);

  return () => html`<section class="card" data-is="paper-card">
    <h2>${word("paper_title")}</h2>
    <p class="hint">${word("paper_help")}</p>
    <p class="past-ways">${PAPERS.map(([kind, text]) => html`<a href=${wayTo(`/api/fallback/${kind}.pdf`)} data-is="paper-${kind}" download="fallback-${kind}.pdf">${word(text)}</a>`)}</p>
    <h3>${word("stick_title")}</h3>
    <p class="hint">${word("stick_help")}</p>
    ${known === null ? nothing : known.state === "working" ? progress(known) : sticks(known)}
    ${known?.state === "done" ? written(known) : nothing}
    <p class="mistake" data-is="stick-mistake" role="alert">${known?.state === "failed" && mistake === "" ? told(known.reason, known.reason_key) : mistake}</p>
  </section>`;
}
