// Notes from the director, which nobody else sees: those not read yet stand above everything else.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { repeat } from "../vendor/lit-html/directives/repeat.js";
import { Actions, once } from "../components/actions.js";
import { NotesFeed, noteState } from "../notes.js";
import { timeText, word } from "../words.js";

/** @import { Note } from "../notes.js" */

const MOST_PAST = 4;

/** @param {() => void} redraw */
export function moderatorNotes(redraw) {
  const notes = new NotesFeed(redraw);
  /** @type {Actions<"read", { id: string }>} */
  const actions = new Actions({ path: "/api/notes", redraw });

  /** @param {Note} note */
  const unread = ({ id, text, written_ms: ms }) => html`<li><p class="note-text">${text}</p><time>${timeText(ms, { seconds: false })}</time>
    <button type="button" @click=${once(() => actions.do("read", { id }))}>${word("note_read")}</button></li>`;

  return {
    /** Those that have not been read, the oldest first. */
    unread() {
      const shown = notes.all.filter(({ read_ms: ms }) => ms === null);
      return html`<section class="notes" data-is="notes" role="status">${shown.length === 0 ? nothing : html`<h2>${word("notes_title")}</h2>
        <ul>${repeat(shown, ({ id }) => id, unread)}</ul>`}</section>${actions.draw()}`;
    },
    /** Those that have been read, the newest first, and whether more may have been written. */
    past() {
      const shown = notes.all.filter(({ read_ms: ms }) => ms !== null).slice(-MOST_PAST).reverse();
      if (shown.length === 0 && notes.open) return nothing;
      return html`<section class="side-card past" data-is="past-notes"><h2>${word("notes_title")}</h2>${notes.open ? nothing : html`<p class="warn">${word("notes_lost")}</p>`}
        <ul>${shown.map((note) => html`<li><span>${note.text}<small>${noteState(note)}</small></span></li>`)}</ul></section>`;
    },
  };
}
