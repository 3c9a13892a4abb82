// Reasons in sentences: why a command may not be given now, why something was refused.

import { html, nothing } from "../vendor/lit-html/lit-html.js";

/**
 * In one paragraph, each said once.
 * @param {Iterable<string>} sentences
 * @param {{ is?: string, look?: string }} options
 */
export const reasons = (sentences, { is, look = "" } = {}) => html`<p class=${look} data-is=${is ?? nothing}>${[...new Set(sentences)].join(" ")}</p>`;
