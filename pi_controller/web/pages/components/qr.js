// A QR code that the server has made: dark on white in both themes, or no camera reads it.

import { html } from "../vendor/lit-html/lit-html.js";

/**
 * @param {{ size: number, path: string }} code
 * @param {string} label
 */
export const qrCode = ({ size, path }, label) =>
  html`<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label=${label} shape-rendering="crispEdges"><path d=${path}></path></svg>`;
