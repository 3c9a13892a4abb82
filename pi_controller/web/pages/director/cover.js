// Black or a test picture on all screens of the hall at once; the game goes on under it.

import { html } from "../vendor/lit-html/lit-html.js";
import { word } from "../words.js";

/** @import { Desk } from "./desk.js" */

const KINDS = /** @type {const} */ ([
  ["none", "cover_show_none", "cover_now_none"],
  ["black", "cover_show_black", "cover_now_black"],
  ["test", "cover_show_test", "cover_now_test"],
]);

/** @param {Desk} desk */
export function coverCard(desk) {
  const cover = desk.picture?.cover ?? "none";
  const said = KINDS.find(([kind]) => kind === cover)?.[2] ?? "cover_now_none";
  return html`<section class="card" data-is="cover-card" data-kind=${cover}>
    <h2>${word("cover_title")}</h2>
    <p class="hint" data-is="cover-now">${word(said)}</p>
    <div class="row">${KINDS.map(([kind, key]) => desk.button("cover", word(key), () => desk.send("cover", { kind }), { is: `cover-${kind}`, pressed: kind === cover }))}</div>
    ${desk.against("cover")}
  </section>`;
}
