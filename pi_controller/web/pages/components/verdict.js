// A verdict as shape, colour and word.

import { html } from "../vendor/lit-html/lit-html.js";
import { word } from "../words.js";
import { symbol } from "./symbol.js";

/** @param {Selftest.Result["verdict"]} verdict */
export const verdictMark = (verdict) => html`<span class="verdict" data-verdict=${verdict}>${symbol(`verdict-${verdict}`)}<span>${word(`stVerdict_${verdict}`)}</span></span>`;
