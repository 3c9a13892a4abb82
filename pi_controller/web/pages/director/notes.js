// The other target of the director's line: notes to the moderator, which nobody else sees, with whether they were read.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { repeat } from "../vendor/lit-html/directives/repeat.js";
import { Actions, once } from "../components/actions.js";
import { NotesFeed, noteState } from "../notes.js";
import { word } from "../words.js";

/** @import { Note } from "../notes.js" */

const MOST_SHOWN = 3;

/** @param {() => void} redraw */
export function notesToModerator(redraw) {
  const notes = new NotesFeed(redraw);
  /** @type {Actions<"remove" | "write", { id: string } | { text: string }>} */
  const actions = new Actions({ path: "/api/notes", redraw });

  /** @param {Note} note */
  const line = (note) => html`<li data-read=${note.read_ms !== null}><span>${note.text} <small>${noteState(note)}</small></span>
    <button type="button" class="plain" aria-label=${word("note_remove", { text: note.text })} @click=${once(() => actions.do("remove", { id: note.id }))}>×</button></li>`;

  return {
    /**
     * Resolves with whether it was sent.
     * @param {string} text
     */
    write: (text) => actions.do("write", { text }),
    /** The newest, the last one first. */
    list: () => html`<ul class="sent-notes" data-is="sent-notes">${notes.all.length === 0 ? html`<li>${word("notes_none")}</li>` : repeat(notes.all.slice(-MOST_SHOWN).reverse(), ({ id }) => id, line)}</ul>`,
    /** Why the last one was not taken. */
    refusal: () => actions.draw(),
    /** The last one in one line, for whoever writes to the screens just now. */
    newest() {
      const last = notes.all.at(-1);
      return last === undefined ? nothing : html`<p class="newest-note" data-is="newest-note" data-read=${last.read_ms !== null}>${word("say_to_moderator")}: ${last.text} · ${noteState(last)}</p>`;
    },
  };
}
