// Who may log in: a link for a further device, shown as a code for its camera, and the list of those that there are.

import { html, nothing } from "../../vendor/lit-html/lit-html.js";
import { repeat } from "../../vendor/lit-html/directives/repeat.js";
import { once } from "../../components/actions.js";
import { qrCode } from "../../components/qr.js";
import { part } from "../../dom.js";
import { dateText, told, word } from "../../words.js";

/**
 * @typedef {Selftest.NewLinkView} NewLink
 * @typedef {Selftest.LoginLinkView} Link
 * @typedef {Link["role"]} Role
 */

const ROLES = /** @type {const} */ (["judge", "moderator", "technician", "director"]);
const PATIENCE_MS = 10_000;

/**
 * The answer's JSON; an Error with a sentence where the controller does not do it.
 * @param {string} path
 * @param {object} [body] without it the list is read
 */
async function ask(path, body) {
  const sent = body === undefined ? {} : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const response = await fetch(path, { ...sent, signal: AbortSignal.timeout(PATIENCE_MS) });
  const answer = await response.json();
  if (!response.ok) throw new Error(told(String(answer.error), answer.reason_keys?.[0]));
  return answer;
}

/** @param {Link} link */
function stateText({ used, way, ends_in_s: left }) {
  const ends = dateText(new Date(Date.now() + left * 1_000).toISOString());
  if (!used) return word(way === "start" ? "link_printed" : "link_unused", { when: ends });
  return word(way === "pin" ? "link_by_pin" : "link_used", { when: ends });
}

/** @param {() => void} redraw */
export function peopleCard(redraw) {
  /** @type {Link[] | null} */
  let links = null;
  /** @type {NewLink | null} */
  let made = null;
  /** @type {string | null} */
  let doomed = null; // the link that is about to be revoked
  let mistake = "";

  /** @param {() => Promise<void>} act */
  const tried = (act) => async () => {
    mistake = "";
    try {
      await act();
      links = (await ask("/api/links")).links;
      if (made !== null && links?.find(({ id }) => id === made?.link.id)?.used !== false) made = null;
    } catch (problem) {
      if (!(problem instanceof Error || problem instanceof DOMException)) throw problem;
      mistake = problem.constructor === Error ? problem.message : word("action_failed");
    }
    redraw();
  };
  const load = tried(async () => {});
  const make = tried(async () => {
    made = await ask("/api/login-link", { role: part("link-role").value, name: part("link-name").value.trim() });
    part("link-name").value = "";
  });

  /** @param {string} id */
  const revoke = (id) => tried(async () => {
    doomed = null;
    if (made?.link.id === id) made = null;
    await ask("/api/links/revoke", { id });
  });

  /** @param {string | null} id */
  function ready(id) {
    doomed = id;
    redraw();
  }

  /** @param {Link} link */
  function line(link) {
    const who = link.name === "" ? word(`role_${link.role}`) : word("link_of", { name: link.name, role: word(`role_${link.role}`) });
    const sure = html`<div class="row"><button type="button" class="danger" @click=${once(revoke(link.id))}>${word("link_revoke_sure")}</button>
      <button type="button" @click=${() => ready(null)}>${word("cancel")}</button></div>`;
    const end = html`<button type="button" aria-label=${word("link_revoke_of", { who })} @click=${() => ready(link.id)}>${word("link_revoke")}</button>`;
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
