// Lists: choices of a select, facts with their names, lines with a symbol.

import { html } from "../vendor/lit-html/lit-html.js";
import { repeat } from "../vendor/lit-html/directives/repeat.js";
import { symbol } from "./symbol.js";

/**
 * The choices of a select. Each keeps its element, so that what is chosen stays chosen when others come and go.
 * @param {Iterable<readonly [value: string, text: string]>} choices
 */
export const options = (choices) => repeat(choices, ([value]) => value, ([value, text]) => html`<option value=${value}>${text}</option>`);

/**
 * Facts with their names, as a list of pairs; those to look at are marked.
 * `look` names the list, and with one letter less each pair.
 * @param {string} look
 * @param {{ name: string, text: unknown, look?: boolean, wide?: boolean }[]} facts
 */
export function factList(look, facts) {
  const one = look.slice(0, -1);
  const pair = (/** @type {(typeof facts)[number]} */ { name, text, look: marked = false, wide = false }) =>
    html`<div class="${one} ${marked ? "look" : ""} ${wide ? "wide" : ""}"><dt>${name}</dt><dd>${text}</dd></div>`;
  return html`<dl class=${look} data-is=${look}>${facts.map(pair)}</dl>`;
}

/**
 * Lines with a symbol before each.
 * @param {string} sign
 * @param {string[]} sentences
 */
export const signedLines = (sign, sentences) => sentences.map((text) => html`<li>${symbol(sign)}<span>${text}</span></li>`);
