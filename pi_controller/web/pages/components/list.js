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
 * Facts with their names; those to look at are marked. The list and each fact have these names as their classes.
 * @param {string} all
 * @param {string} each
 * @param {{ name: string, text: unknown, look?: boolean, wide?: boolean }[]} facts
 */
export function factList(all, each, facts) {
  const pair = (/** @type {(typeof facts)[number]} */ { name, text, look: marked = false, wide = false }) =>
    html`<div class="${each} ${marked ? "look" : ""} ${wide ? "wide" : ""}"><dt>${name}</dt><dd>${text}</dd></div>`;
  return html`<dl class=${all} data-is=${all}>${facts.map(pair)}</dl>`;
}

/**
 * Lines with a symbol before each.
 * @param {string} sign
 * @param {string[]} sentences
 */
export const signedLines = (sign, sentences) => sentences.map((text) => html`<li>${symbol(sign)}<span>${text}</span></li>`);
