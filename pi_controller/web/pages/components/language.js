// What heads of pages share: the language, kept on this device for a year, which the server reads before it answers; dark or light.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { spokenLanguage, word } from "../words.js";

const LANGUAGES = ["en", "de", "es", "pt", "pt-BR", "pl"];
const YEAR_S = 365 * 24 * 60 * 60;

/**
 * What a language calls itself.
 * @param {string} language
 */
function ownName(language) {
  const name = new Intl.DisplayNames([language], { type: "language" }).of(language) ?? language;
  return name.charAt(0).toLocaleUpperCase(language) + name.slice(1);
}

/**
 * Keeps the choice and asks for the page anew; `?lang=` would go before it.
 * @param {Event} event
 */
function choose({ currentTarget }) {
  const { value } = /** @type {HTMLSelectElement} */ (currentTarget);
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing on plain HTTP
  document.cookie = `language=${value}; path=/; max-age=${YEAR_S}; samesite=lax`;
  const address = new URL(location.href);
  address.searchParams.delete("lang");
  history.replaceState(null, "", address);
  location.reload();
}

/**
 * The address of another page of ours, in the language that the address of this one has chosen.
 * @param {string} path
 */
export function wayTo(path) {
  const [chosen, way] = [new URLSearchParams(location.search).get("lang"), new URL(path, location.href)];
  if (chosen !== null) way.searchParams.set("lang", chosen);
  return way.pathname + way.search;
}

/** The menu for the head of a page. */
export function languageMenu() {
  const spoken = spokenLanguage();
  const offered = LANGUAGES.includes(spoken) ? LANGUAGES : [spoken, ...LANGUAGES];
  return html`<span class="language-box" data-tag=${spoken.toUpperCase()}><select class="language" data-is="language" aria-label=${word("language")} @change=${choose}>${offered.map((language) => html`<option value=${language} lang=${language} .selected=${language === spoken}>${ownName(language)}</option>`)}</select></span>`;
}

/** The warning of the staff's pages where others in the network could read along; on the machine itself nothing. */
export function transportWarning() {
  const { protocol, hostname } = location;
  if (protocol === "https:" || hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.")) return nothing;
  return html`<span class="unencrypted" data-is="unencrypted" role="note" title=${word("unencrypted_help")}>${word("unencrypted")}</span>`;
}

/** What `theme.js` looks for: the button that changes between dark and light. */
export const themeButton = () => html`<button class="plain" data-is="theme" aria-label=${word("theme")}>◐</button>`;
