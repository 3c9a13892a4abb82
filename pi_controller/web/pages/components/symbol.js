// A symbol of symbols.svg in the text's colour.

import "../symbols.js";
import { html } from "../vendor/lit-html/lit-html.js";

/** @param {string} name */
export const symbol = (name) => html`<svg class="symbol" aria-hidden="true"><use href="#symbol-${name}"></use></svg>`;
