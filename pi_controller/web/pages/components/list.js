// Lists: choices of a select, facts with their names, toggles of which one is pressed.

import { html } from "../vendor/lit-html/lit-html.js";
import { repeat } from "../vendor/lit-html/directives/repeat.js";

/**
 * The choices of a select. Each keeps its element, so that what is chosen stays chosen when others come and go.
 * @param {Iterable<readonly [value: string, text: string]>} choices
 */
export const options = (choices) => repeat(choices, ([value]) => value, ([value, text]) => html`<option value=${value}>${text}</option>`);
