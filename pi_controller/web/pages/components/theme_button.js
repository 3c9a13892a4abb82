// What `theme.js` looks for: the button that changes between dark and light.

import { html } from "../vendor/lit-html/lit-html.js";
import { word } from "../words.js";

export const themeButton = () => html`<button class="plain" data-is="theme" aria-label=${word("theme")}>◐</button>`;
