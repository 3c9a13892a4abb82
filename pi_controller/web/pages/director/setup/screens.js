// The hall's screens: who is there, and what each is told. A new one shows a code, which the director enters here.

import { html, nothing } from "../../vendor/lit-html/lit-html.js";
import { repeat } from "../../vendor/lit-html/directives/repeat.js";
import { Actions, once } from "../../components/actions.js";
import { symbol } from "../../components/symbol.js";
import { part } from "../../dom.js";
import { word } from "../../words.js";

/**
 * @typedef {{ name: string, page: string, size: [number, number], connected: boolean, blackout: boolean, last_contact_s: number | null, clock_offset_ms: number | null }} KnownScreen
 * @typedef {{ screens: KnownScreen[], waiting: number }} Known
 * @typedef {{ do: "admit", code: string } | { do: "identify" | "reload" | "forget" } | { do: "rename", to: string } | { do: "page", page: string } | { do: "blackout", on: boolean }} Order
 */

const ASKED_EVERY_MS = 2_000;
const PAGES = /** @type {const} */ ([
  ["/", "screen_page_full"],
  ["/?layout=side", "screen_page_side"],
  ["/?layout=corner", "screen_page_corner"],
  ["/overlay", "screen_page_overlay"],
]);

/** @param {KnownScreen} screen */
function contactText({ connected, last_contact_s: seconds }) {
  if (connected) return word("screen_here");
  if (seconds === null) return word("screen_away");
  const text = seconds < 120 ? word("screen_seen", { seconds: Math.round(seconds) }) : word("screen_seen_minutes", { minutes: Math.round(seconds / 60) });
  return `${word("screen_away")}, ${text}`;
}

/** @param {KnownScreen} screen */
function facts(screen) {
  const [width, height] = screen.size;
  const size = width > 0 ? word("test_size", { width, height }) : "";
  const clock = screen.clock_offset_ms === null ? "" : word("test_offset", { ms: screen.clock_offset_ms });
  return [contactText(screen), size, clock, screen.blackout ? word("screen_is_black") : ""].filter(Boolean).join(" · ");
}

/** @param {() => void} redraw */
export function screensCard(redraw) {
  /** @type {Actions<string, Order>} */
  const actions = new Actions({ path: "/api/screens", redraw, onDone: load });
  /** @type {Known | null} */
  let known = null;
  let mistake = "";
  let open = ""; // the screen that is being renamed or forgotten

  async function load() {
    const response = await fetch("/api/screens").catch(() => null);
    if (response?.ok) [known, mistake] = [await response.json(), ""];
    else mistake = word("screens_failed", { status: response?.status ?? "–" });
    redraw();
  }
  /**
   * @param {KnownScreen} screen
   * @param {Order} order
   */
  const tell = ({ name }, order) => actions.do(encodeURIComponent(name), order);

  async function admit() {
    const [code, name] = [part("screen-code"), part("screen-name")];
    if (!code.reportValidity() || !name.reportValidity()) return;
    const done = await actions.do(encodeURIComponent(name.value.trim()), { do: "admit", code: code.value.trim() });
    if (done) [code.value, name.value] = ["", ""];
  }
  /** @param {KnownScreen} screen */
  async function rename(screen) {
    const to = part("screen-new-name").value.trim();
    if (to !== "" && (await tell(screen, { do: "rename", to }))) openOnly("");
  }
  /** @param {string} name */
  function openOnly(name) {
    open = name;
    redraw();
  }

  /** @param {KnownScreen} screen */
  function pages(screen) {
    const there = PAGES.some(([page]) => page === screen.page);
    const send = (/** @type {Event} */ { currentTarget }) => void tell(screen, { do: "page", page: /** @type {HTMLSelectElement} */ (currentTarget).value });
    return html`<label class="screen-page"><span class="only-spoken">${word("screen_page")}</span><select ?disabled=${!screen.connected} @change=${send}>
      ${there ? nothing : html`<option value=${screen.page} selected>${word("screen_page_other")}</option>`}
      ${PAGES.map(([page, key]) => html`<option value=${page} .selected=${page === screen.page}>${word(key)}</option>`)}
    </select></label>`;
  }

  /** @param {KnownScreen} screen */
  function row(screen) {
    const button = (/** @type {string} */ text, /** @type {Order} */ order, off = false) => html`<button type="button" ?disabled=${off} @click=${once(() => tell(screen, order))}>${text}</button>`;
    const away = !screen.connected;
    return html`<li class="screen" data-connected=${screen.connected}>
      <h3>${symbol(screen.connected ? "node-good" : "node-lost")}<span>${screen.name}</span></h3>
      <p class="hint">${facts(screen)}</p>
      <div class="row">
        ${button(word("screen_identify"), { do: "identify" }, away)}${pages(screen)}${button(word("screen_reload"), { do: "reload" }, away)}
        ${button(word(screen.blackout ? "screen_show" : "screen_blacken"), { do: "blackout", on: !screen.blackout })}
        <button type="button" aria-expanded=${open === screen.name} @click=${() => openOnly(open === screen.name ? "" : screen.name)}>${word("screen_rename")} / ${word("screen_forget")}</button>
      </div>
      ${open === screen.name ? html`<div class="fields">
        <label class="wide"><span>${word("screen_name_label")}</span><input data-is="screen-new-name" maxlength="60" .value=${screen.name} autocomplete="off"></label>
        <button type="button" @click=${once(() => rename(screen))}>${word("screen_rename")}</button>
        <button type="button" class="danger" @click=${once(() => tell(screen, { do: "forget" }))}>${word("screen_forget_now", { name: screen.name })}</button>
      </div>` : nothing}
    </li>`;
  }

  load();
  setInterval(() => document.hidden || load(), ASKED_EVERY_MS);

  return () => html`<section class="card" data-is="screens-card">
    <h2>${word("screens_title")}</h2>
    <ul class="screens">${known?.screens.length === 0 ? html`<li class="hint">${word("screens_none")}</li>` : repeat(known?.screens ?? [], ({ name }) => name, row)}</ul>
    <p class="hint">${word("screens_help", { address: `${location.origin}/?screen` })}</p>
    ${known !== null && known.waiting > 0 ? html`<p class="hint" data-is="screens-waiting">${word("screens_waiting", { count: known.waiting })}</p>` : nothing}
    <div class="fields">
      <label><span>${word("screen_code_label")}</span><input data-is="screen-code" required maxlength="4" size="6" autocapitalize="characters" autocomplete="off" spellcheck="false"></label>
      <label class="wide"><span>${word("screen_name_label")}</span><input data-is="screen-name" required maxlength="60" pattern="[^\\/]+" autocomplete="off"></label>
      <button type="button" data-is="screen-admit" @click=${once(admit)}>${word("screen_admit")}</button>
    </div>
    ${actions.draw()}
    <p class="mistake" role="alert">${mistake}</p>
  </section>`;
}
