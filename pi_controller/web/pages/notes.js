// Notes from the director to the moderator as both pages hear them, and whether each was read.

import { OpenFeed } from "./open_feed.js";
import { timeText, word } from "./words.js";

/** @typedef {Selftest.Note} Note */

/** @param {Note} note */
export function noteState({ read_ms: ms, read_by: name }) {
  if (ms === null) return word("note_unread");
  const time = timeText(ms, { seconds: false });
  return name === "" ? word("note_read_at", { time }) : word("note_read_by", { time, name });
}

export class NotesFeed {
  /** @type {Note[]} The oldest first. */
  all = [];
  open = false; // otherwise more may have been written

  /** @param {() => void} onNews */
  constructor(onNews) {
    /** @type {OpenFeed<Selftest.NotesView>} */
    const feed = new OpenFeed({
      path: "/api/notes/feed",
      onMessage: ({ notes }) => {
        this.all = notes;
        onNews();
      },
      onOpen: (open) => {
        this.open = open;
      },
    });
    feed.open();
  }
}
