// What several people write on: notes from the director to the moderator, and claim sheets.

import { redraw } from "./dom.js";
import { openFeed, postJson } from "./feed.js";
import { timeText, word } from "./words.js";

/** @import { Sheet } from "./claim_count.js" */

// Notes from the director to the moderator as both pages hear them, and whether each was read.

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

  constructor() {
    openFeed({
      path: "/api/notes/feed",
      onMessage: (/** @type {Selftest.NotesView} */ { notes }) => (this.all = notes),
      onOpen: (open) => (this.open = open),
    });
  }
}

// Claim sheets that several fill in: what one writes, all see. Nobody writes over what he has not seen.

/** @typedef {Selftest.Draft} Draft */

export class SharedSheets {
  /** @type {Map<string, Draft>} */
  #drafts = new Map(); // as they were last heard, by game and claim
  /** @type {Map<string, { game: string, claim: string, sheet: Sheet }>} */
  #waiting = new Map(); // what is to be sent, the newest of each
  /** @type {Set<string>} */
  #sending = new Set();
  /** @type {Map<string, number>} */
  #own = new Map(); // the number of the newest draft that this page has written
  /** @type {Map<string, string[]>} */
  #trouble = new Map(); // why the newest change did not arrive

  /**
   * `onChange(draft)` for each sheet that somebody else has changed, which is the receiver's own.
   * @param {(draft: Draft) => void} onChange
   */
  constructor(onChange) {
    this.onChange = onChange;
    openFeed({ path: "/api/sheets/feed", onMessage: (/** @type {{ sheets: Draft[] }} */ message) => this.#take(message) });
  }

  /**
   * Who else has written this sheet last; null: nobody, or this page.
   * @param {string} game
   * @param {string} claim
   */
  author(game, claim) {
    const key = keyOf(game, claim);
    const draft = this.#drafts.get(key);
    return draft === undefined || draft.number === this.#own.get(key) ? null : draft;
  }

  /**
   * The sheet of a claim as it was last heard, whoever wrote it; null where none was begun.
   * @param {string} game
   * @param {string} claim
   */
  draft(game, claim) {
    return this.#drafts.get(keyOf(game, claim)) ?? null;
  }

  /**
   * Why this page's newest change of a sheet is not with the others, in sentences.
   * @param {string} game
   * @param {string} claim
   */
  trouble(game, claim) {
    return this.#trouble.get(keyOf(game, claim)) ?? [];
  }

  /**
   * Sends a sheet as it is now; while one is on its way only the newest waits.
   * @param {string} game
   * @param {string} claim
   * @param {Sheet} sheet
   */
  put(game, claim, sheet) {
    const key = keyOf(game, claim);
    this.#waiting.set(key, { game, claim, sheet: structuredClone(sheet) });
    if (!this.#sending.has(key)) this.#send(key);
  }

  /** @param {string} key */
  async #send(key) {
    this.#sending.add(key);
    for (let next = this.#waiting.get(key); next !== undefined; next = this.#waiting.get(key)) {
      this.#waiting.delete(key);
      const number = this.#drafts.get(key)?.number ?? 0;
      this.#own.set(key, number + 1);
      const { status, reasons } = await postJson("/api/sheets", { ...next, number }, { unanswered: word("sheet_not_shared") });
      if (status === "accepted") this.#wrote(key, { ...next, number: number + 1, role: "judge", name: "" });
      else this.#lost(key, reasons);
    }
    this.#sending.delete(key);
  }

  /**
   * The answer may come before the feed tells it.
   * @param {string} key
   * @param {Draft} draft
   */
  #wrote(key, draft) {
    if ((this.#drafts.get(key)?.number ?? 0) < draft.number) this.#drafts.set(key, draft);
    if (this.#trouble.delete(key)) redraw();
  }

  /**
   * @param {string} key
   * @param {string[]} sentences
   */
  #lost(key, sentences) {
    this.#own.delete(key);
    this.#waiting.delete(key);
    this.#trouble.set(key, sentences);
    this.#tell(this.#drafts.get(key));
  }

  /** @param {{ sheets: Draft[] }} message */
  #take({ sheets }) {
    const before = this.#drafts;
    this.#drafts = new Map(sheets.map((draft) => [keyOf(draft.game, draft.claim), draft]));
    for (const [key, draft] of this.#drafts) {
      const known = before.get(key)?.number === draft.number;
      if (!known && draft.number !== this.#own.get(key)) this.#tell(draft);
    }
  }

  /** @param {Draft | undefined} draft */
  #tell(draft) {
    if (draft !== undefined) this.onChange(structuredClone(draft));
    redraw();
  }
}

/**
 * @param {string} game
 * @param {string} claim
 */
const keyOf = (game, claim) => `${game}/${claim}`;

/**
 * Who else fills in a sheet, in words; "" for nobody.
 * @param {Draft | null} draft
 */
export function writerText(draft) {
  if (draft === null) return "";
  return word("sheet_filled_by", { who: draft.name === "" ? word(`role_${draft.role}`) : draft.name });
}
