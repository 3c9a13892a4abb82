// Opening a claim at the table: its board, by the first signs of its name, and its side.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { part } from "../dom.js";
import { inTurns } from "../reading.js";
import { sideChoice } from "../director/claims/judging.js";
import { word } from "../words.js";

/**
 * @import { Desk } from "../director/desk.js"
 * @import { TablesHub } from "../tables/hub.js"
 */

const MOST_OFFERED = 8; // two lines on a phone

/**
 * As the game compares names of boards: without regard to case, spaces and leading zeros.
 * @param {string} name
 */
const compared = (name) => name.toLowerCase().replaceAll(/\s/g, "").replaceAll(/(^|\D)0+(?=\d)/g, "$1");

/**
 * `onOpened(board)` when the claim is sent, and with "" when the game has not taken it.
 * @param {Desk} desk
 * @param {TablesHub} hub
 * @param {(board: string) => void} onOpened
 */
export function claimForm(desk, hub, onOpened) {
  /** @type {Api.ClaimBody["side"] | null} */
  let side = null; // null: the one that is or was active
  let typed = "";

  /** @param {string} text */
  function type(text) {
    typed = text;
    desk.redraw();
  }

  const meant = () => hub.boards.find(({ name }) => compared(name) === compared(typed))?.name ?? typed.trim();

  /** @param {Api.ClaimBody["side"]} acting */
  async function open(acting) {
    const board = meant();
    if (board === "" && !inTurns(desk.picture)) return part("claim-board").focus();
    onOpened(board);
    const { status } = await desk.send("claim", { board: board || null, side: acting });
    if (status !== "accepted") return onOpened("");
    side = null;
    type("");
  }

  function offered() {
    const wanted = compared(typed);
    const found = wanted === "" ? [] : hub.boards.filter(({ name }) => compared(name).startsWith(wanted));
    return html`<div class="offered" role="group" aria-label=${word("board")}>${found.slice(0, MOST_OFFERED).map(({ name }) => html`
      <button type="button" data-board=${name} aria-pressed=${String(name === meant())} @click=${() => type(name)}>${name}</button>`)}</div>
      <p class="hint" data-is="claim-place" aria-live="polite">${hub.placeOf(meant())}</p>`;
  }

  return () => {
    const { picture } = desk;
    const turns = inTurns(picture);
    const active = picture?.seats[picture.seat ?? picture.next_seat ?? 0]?.id ?? null;
    const acting = /** @type {Api.ClaimBody["side"]} */ (side ?? active);
    return html`<section class="card open-claim">
      <h2>${word("new_claim")}</h2>
      <div class="fields" ?hidden=${turns}>
        <label class="wide"><span>${word("board")}</span><input data-is="claim-board" .value=${typed} maxlength="24" autocomplete="off" autocapitalize="characters" enterkeyhint="done"
          @input=${(/** @type {Event} */ event) => type(/** @type {HTMLInputElement} */ (event.target).value)}></label>
      </div>
      ${turns ? nothing : hub.roster !== null && hub.boards.length === 0 ? html`<p class="hint" data-is="any-board">${word("any_board")}</p>` : offered()}
      <div class="fields">
        ${sideChoice(picture, acting, (id) => {
          side = id;
          desk.redraw();
        })}
        ${desk.button("claim", word("claim_go"), () => open(acting), { is: "claim-go" })}
      </div>
      ${picture === null ? nothing : desk.against("claim")}
    </section>`;
  };
}
