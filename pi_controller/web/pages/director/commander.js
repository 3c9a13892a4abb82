// Sends commands, each with a key of its own and with the picture that the sender saw, and remembers what became of them.

import { postJson } from "../post.js";
import { word } from "../words.js";

/**
 * @import { Outcome } from "../post.js"
 * @typedef {keyof Api.Commands} Command
 * @typedef {{ name: Command, body: object, key: string, status: Outcome["status"] | "pending", reasons: string[], seen: Seen | null, seq?: number }} Entry
 * @typedef {Pick<Api.Picture, "seq" | "session">} Seen
 */

const REMEMBERED = 12;

/** A random key; `randomUUID` is missing on plain HTTP other than localhost. */
function newKey() {
  if (typeof crypto.randomUUID === "function") return crypto.randomUUID();
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

export class Commander {
  /** @type {Entry[]} */
  entries = []; // newest first
  /** @type {Seen | null} */
  #seen = null;

  /**
   * `onChange()` is called for each change of an entry.
   * @param {() => void} onChange
   */
  constructor(onChange) {
    this.onChange = onChange;
  }

  /**
   * The picture that the page shows from now on.
   * @param {Api.Picture | null} picture
   */
  see(picture) {
    this.#seen = picture;
  }

  /**
   * Sends a command with a new key; resolves with its entry when the answer is there. `seen` is what its sender knows of the game; without
   * it that is the picture that the page shows.
   * @template {Command} Name
   * @param {Name} name
   * @param {Api.Commands[Name]} [body]
   * @param {Seen | null} [seen]
   */
  send(name, body, seen = null) {
    /** @type {Entry} */
    const entry = { name, body: body ?? {}, key: newKey(), status: "pending", reasons: [], seen };
    this.entries = [entry, ...this.entries].slice(0, REMEMBERED);
    return this.sendAgain(entry);
  }

  /**
   * The same command with the same key: it counts once, however often it arrives.
   * @param {Entry} entry
   */
  async sendAgain(entry) {
    this.#change(entry, { status: "pending", reasons: [] });
    this.#change(entry, await this.#post(entry));
    return entry;
  }

  /** @param {Entry} entry */
  #post({ name, body, key, seen }) {
    const known = seen ?? this.#seen;
    /** @type {Record<string, string>} */
    const counts = known === null || name === "pause" ? {} : { "If-Seq": String(known.seq), "If-Session": known.session };
    return postJson(`/api/commands/${name}`, body, { headers: { "Idempotency-Key": key, ...counts }, unanswered: word("failed_help") });
  }

  /**
   * @param {Entry} entry
   * @param {Partial<Entry>} change
   */
  #change(entry, change) {
    Object.assign(entry, change);
    this.onChange();
  }
}
