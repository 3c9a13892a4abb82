// What is prepared around a game: people, screens, paper and sticks, which hall leads.

import { repeat } from "../vendor/lit-html/directives/repeat.js";
import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { modeNow } from "./page.js";
import { Actions, once, qrCode, symbol } from "../lib/components.js";
import { part, redraw } from "../lib/dom.js";
import { answerOf, postJson } from "../lib/feed.js";
import { leaderText } from "../lib/texts.js";
import { dateText, told, wayTo, word } from "../lib/words.js";

/** @import { Desk } from "../lib/desk.js" */

// Who may log in: a link for a further device, shown as a code for its camera, and the list of those that there are.

/**
 * @typedef {Selftest.NewLinkView} NewLink
 * @typedef {Selftest.LoginLinkView} Link
 * @typedef {Link["role"]} Role
 */

const ROLES = /** @type {const} */ (["judge", "moderator", "technician", "director"]);

/** @param {Link} link */
function stateText({ used, way, ends_in_s: left }) {
  const ends = dateText(new Date(Date.now() + left * 1_000).toISOString());
  if (!used) return word(way === "start" ? "link_printed" : "link_unused", { when: ends });
  return word(way === "pin" ? "link_by_pin" : "link_used", { when: ends });
}

export function peopleCard() {
  /** @type {Link[] | null} */
  let links = null;
  /** @type {NewLink | null} */
  let made = null;
  /** @type {string | null} */
  let doomed = null; // the link that is about to be revoked
  let mistake = "";

  async function load() {
    const { answer, problem } = await answerOf("/api/links");
    [links, mistake] = [answer?.links ?? links, problem];
    if (problem === "" && links?.find(({ id }) => id === made?.link.id)?.used !== false) made = null;
  }

  async function make() {
    const { answer, problem } = await answerOf("/api/login-link", { body: { role: part("link-role").value, name: part("link-name").value.trim() } });
    mistake = problem;
    if (answer === null) return;
    made = answer;
    part("link-name").value = "";
    await load();
  }

  /** @param {string} id */
  async function revoke(id) {
    doomed = null;
    if (made?.link.id === id) made = null;
    const { problem } = await answerOf("/api/links/revoke", { body: { id } });
    mistake = problem;
    if (problem === "") await load();
  }

  /** @param {Link} link */
  function line(link) {
    const who = link.name === "" ? word(`role_${link.role}`) : word("link_of", { name: link.name, role: word(`role_${link.role}`) });
    const sure = html`<div class="row"><button type="button" class="danger" @click=${once(() => revoke(link.id))}>${word("link_revoke_sure")}</button>
      <button type="button" @click=${() => (doomed = null)}>${word("cancel")}</button></div>`;
    const end = html`<button type="button" aria-label=${word("link_revoke_of", { who })} @click=${() => (doomed = link.id)}>${word("link_revoke")}</button>`;
    return html`<li class="person">
      <span class="person-name">${who}</span>
      <span class="hint">${stateText(link)}${link.own ? ` · ${word("link_own")}` : ""}</span>
      ${link.id === doomed ? sure : end}
    </li>`;
  }

  /** @param {NewLink} link */
  const shown = ({ address, qr, link }) => html`<div class="new-link" data-is="new-link">
    ${qrCode(qr, word("link_code"))}
    <p>${word("link_scan")}</p>
    <p class="hint">${link.name === "" ? word(`role_${link.role}`) : word("link_of", { name: link.name, role: word(`role_${link.role}`) })}</p>
    <p class="address"><a href=${address}>${address}</a></p>
  </div>`;

  return () => html`<section class="card people-card">
    <h2>${word("people_title")}</h2>
    <div class="fields">
      <label><span>${word("link_role")}</span><select data-is="link-role">${ROLES.map((role) => html`<option value=${role}>${word(`role_${role}`)}</option>`)}</select></label>
      <label><span>${word("link_name")}</span><input data-is="link-name" maxlength="40" autocomplete="off"></label>
      <button type="button" data-is="link-make" @click=${once(make)}>${word("link_make")}</button>
    </div>
    <p class="hint">${word("link_lasts")}</p>
    ${made === null ? nothing : shown(made)}
    <p class="mistake" role="alert">${mistake}</p>
    <ul class="people">${repeat(links ?? [], ({ id }) => id, line)}</ul>
    <div class="row"><button type="button" data-is="links-load" @click=${once(load)}>${word(links === null ? "links_load" : "links_load_again")}</button></div>
  </section>`;
}

// The hall's screens: who is there, and what each is told. A new one shows a code, which the director enters here.

/**
 * @typedef {{ name: string, page: string, size: [number, number], connected: boolean, blackout: boolean, last_contact_s: number | null, clock_offset_ms: number | null }} KnownScreen
 * @typedef {{ screens: KnownScreen[], waiting: number }} KnownScreens
 * @typedef {{ do: "admit", code: string } | { do: "identify" | "reload" | "forget" } | { do: "rename", to: string } | { do: "page", page: string } | { do: "blackout", on: boolean }} Order
 */

const SCREENS_EVERY_MS = 2_000;
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

export function screensCard() {
  /** @type {Actions<string, Order>} */
  const actions = new Actions("/api/screens", load);
  /** @type {KnownScreens | null} */
  let known = null;
  let mistake = "";
  let open = ""; // the screen that is being renamed or forgotten

  async function load() {
    const { answer, problem } = await answerOf("/api/screens", { unanswered: word("games_failed") });
    [known, mistake] = [answer ?? known, problem];
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
    if (to !== "" && (await tell(screen, { do: "rename", to }))) open = "";
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
        <button type="button" aria-expanded=${open === screen.name} @click=${() => (open = open === screen.name ? "" : screen.name)}>${word("screen_rename")} / ${word("screen_forget")}</button>
      </div>
      ${open === screen.name ? html`<div class="fields">
        <label class="wide"><span>${word("screen_name_label")}</span><input data-is="screen-new-name" maxlength="60" .value=${screen.name} autocomplete="off"></label>
        <button type="button" @click=${once(() => rename(screen))}>${word("screen_rename")}</button>
        <button type="button" class="danger" @click=${once(() => tell(screen, { do: "forget" }))}>${word("screen_forget_now", { name: screen.name })}</button>
      </div>` : nothing}
    </li>`;
  }

  load();
  setInterval(() => document.hidden || load(), SCREENS_EVERY_MS);

  const draw = () => html`<section class="card" data-is="screens-card">
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
  return { draw, all: () => known?.screens ?? [] };
}

// For a hall that must go on without the controller: paper. And all of the evening on a stick: which one there is, how far it is, what is on it.

/** @typedef {Selftest.StickView} KnownSticks */

const STICKS_EVERY_MS = 1_000;
const PAPERS = /** @type {const} */ ([["all", "paper_all"], ["dice", "paper_dice"], ["sheets", "paper_sheets"]]);
const KIB = 1_024;

/** @param {KnownSticks} known */
function progress({ step, done, of }) {
  const text = of === 0 ? word("stick_begins") : step === "reports" ? word("stick_reports", { done, of }) : word("stick_writing", { done, of });
  return html`<div class="stick-progress" data-is="stick-progress">
    <p role="status">${text} <strong>${word("stick_leave_it")}</strong></p>
    <progress max=${of || 1} value=${done} aria-label=${word("stick_title")}></progress>
  </div>`;
}

/** @param {KnownSticks} known */
function written({ place, folder, files }) {
  const kib = Math.ceil(files.reduce((sum, file) => sum + file.bytes, 0) / KIB);
  const name = place.split("/").pop() ?? place;
  return html`<p class="stick-done" data-is="stick-done" role="status">${word("stick_done", { name, folder, count: files.length, kib })}</p>
    <details><summary>${word("stick_files")}</summary>
      <ul class="stick-files">${files.map((file) => html`<li><span>${file.name}</span><span>${word("stick_size", { kib: Math.ceil(file.bytes / KIB) })}</span></li>`)}</ul>
    </details>`;
}

export function paperCard() {
  /** @type {KnownSticks | null} */
  let known = null;
  let mistake = "";

  /** @param {object} [body] without it, it is only looked */
  async function ask(body) {
    const { answer, problem } = await answerOf("/api/stick", { body, unanswered: body === undefined ? mistake : word("action_failed") });
    [known, mistake] = [answer ?? known, problem];
    redraw();
  }

  /** @param {KnownSticks["sticks"][number]} stick */
  function row({ place, name, free_kib: free, read_only: onlyRead }) {
    const facts = onlyRead ? word("stick_only_read") : free === null ? "" : word("stick_free", { mb: Math.floor(free / KIB) });
    return html`<li class="stick">
      <span class="stick-name">${name}</span><span class="hint">${facts}</span>
      <button type="button" data-is="stick-save" ?disabled=${onlyRead} @click=${once(() => ask({ place, seen: known?.number ?? 0 }))}>${word("stick_save", { name })}</button>
    </li>`;
  }

  /** @param {KnownSticks} now */
  const sticks = (now) => html`<ul class="sticks">${now.sticks.length === 0 ? html`<li class="hint" data-is="stick-none">${word("stick_none")}</li>` : repeat(now.sticks, ({ place }) => place, row)}</ul>`;

  const look = () => void (document.hidden || modeNow() !== "setup" || ask());
  look();
  addEventListener("hashchange", look);
  setInterval(look, STICKS_EVERY_MS);

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

// Two controllers that lead one game, or one that shall and does not: which hall leads is for the director to decide, and that hall's
// name is typed first.

/**
 * `open()`: whether there is something to decide, `way()` leads there, `draw()` is where it is decided.
 * @param {Desk} desk
 */
export function settlement(desk) {
  let [typed, said] = ["", ""];

  /** The link where another hall leads that this one knows by its name. */
  function disputed() {
    const link = desk.picture?.link ?? null;
    return link !== null && ["divided", "refused"].includes(link.state) && leaderText(link) !== "" ? link : null;
  }

  /** @param {boolean} lead */
  async function decide(lead) {
    const { status, reasons } = await postJson("/api/halls/settle", { lead, hall: typed }, { unanswered: word("action_failed") });
    said = status === "accepted" ? word("settle_done") : reasons.join(" ");
    if (status === "accepted") part("settle-hall").value = typed = "";
  }

  function type() {
    [typed, said] = [part("settle-hall").value.trim(), ""];
  }

  /**
   * @param {boolean} lead
   * @param {Api.LinkView} link
   */
  function choice(lead, { hall: own, leader }) {
    const hall = leader ?? "?";
    return html`<div class="settle-choice">
      <p>${lead ? word("settle_lead_help", { own, hall }) : word("settle_give_way_help", { hall })}</p>
      <button type="button" class="risky" data-is=${lead ? "settle-lead" : "settle-give-way"} ?disabled=${desk.state !== "fresh" || typed !== (lead ? own : hall)}
        @click=${once(() => decide(lead))}>${word(lead ? "settle_lead" : "settle_give_way")}</button></div>`;
  }

  return {
    open: () => disputed() !== null,
    way: () => (disputed() === null ? nothing : html`<button type="button" class="small" data-is="settle-way" @click=${() => (location.hash = "setup")}>${word("settle_title")}</button>`),
    draw() {
      const link = disputed();
      if (link === null) return nothing;
      return html`<section class="settle" data-is="settle" aria-label=${word("settle_title")}>
        <h3>${symbol("warning")}<span>${word("settle_title")}</span></h3>
        <label><span>${word("settle_type")}</span><input data-is="settle-hall" maxlength="16" autocomplete="off" autocapitalize="off" spellcheck="false" @input=${type}></label>
        ${choice(true, link)}${link.state === "divided" ? choice(false, link) : nothing}
        <p class="hint" data-is="settle-said" role="status">${said}</p>
      </section>`;
    },
  };
}
