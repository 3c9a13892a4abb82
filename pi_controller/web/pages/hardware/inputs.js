// The pause button's contacts as they are now, and what they say together; beside them the shutdown button.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { symbol } from "../components/symbol.js";
import { word } from "../words.js";

const CONTACTS = /** @type {const} */ (["no", "nc"]);
const LEVEL_WORDS = /** @type {const} */ ({ closed: "hardware_closed", open: "hardware_open", unwired: "hardware_unwired" });

/** @param {Api.Inputs | null} inputs */
function readingOf(inputs) {
  if (inputs === null) return "unknown";
  const { no_closed: no, nc_closed: nc } = inputs;
  if (nc === null) return no ? "pressed" : "released";
  if (no && nc) return "short";
  if (!no && !nc) return "cut";
  return no ? "pressed" : "released";
}

/** @param {boolean | null | undefined} closed */
function levelOf(closed) {
  if (closed === null || closed === undefined) return "unwired";
  return closed ? "closed" : "open";
}

/**
 * @param {string} name
 * @param {keyof typeof LEVEL_WORDS} level
 * @param {string} text
 */
const contactLine = (name, level, text) => html`<li class="contact" data-level=${level}>${symbol(level === "closed" ? "contact-closed" : "contact-open")}<span>${name}</span><b>${text}</b></li>`;

/**
 * `null`: nothing is watched.
 * @param {Api.Inputs | null} inputs
 */
export function inputsCard(inputs) {
  const reading = readingOf(inputs);
  const contact = (/** @type {(typeof CONTACTS)[number]} */ name) => {
    const level = levelOf(inputs?.[`${name}_closed`]);
    return contactLine(word(`hardware_contact_${name}`), level, inputs === null ? "" : word(LEVEL_WORDS[level]));
  };
  const shutdown = inputs?.shutdown_pressed ?? null;
  const shutdownLine = contactLine(word("hardware_shutdown"), shutdown ? "closed" : "open", word(shutdown ? "hardware_reading_pressed" : "hardware_reading_released"));
  return html`<section class="card inputs-card">
    <h2>${word("hardware_button")}</h2>
    <p class="reading" data-is="reading" data-reading=${reading}>${word(`hardware_reading_${reading}`)}</p>
    <ul class="contacts" data-is="contacts">${CONTACTS.map(contact)}</ul>
    <p class="hint">${word("hardware_button_help")}</p>
    ${shutdown === null ? nothing : html`<ul class="contacts single" data-is="shutdown">${shutdownLine}</ul>`}
  </section>`;
}
