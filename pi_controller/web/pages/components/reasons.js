// Reasons as the controller gives them: why a command may not be given now, why one was refused.

import { html } from "../vendor/lit-html/lit-html.js";

/**
 * In one paragraph, each said once; without any it takes no place.
 * @param {Iterable<string>} sentences
 */
export const reasons = (sentences) => html`<p class="why">${[...new Set(sentences)].join(" ")}</p>`;
