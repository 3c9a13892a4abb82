// Sends commands, each with a key of its own, and remembers what became of them.

import { postJson } from "../post.js";
import { word } from "../words.js";

const REMEMBERED = 12;

/** A random key; `randomUUID` is missing on plain HTTP other than localhost. */
export function newKey() {
  if (typeof crypto.randomUUID === "function") return crypto.randomUUID();
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

export class Commander {
  entries = []; // newest first: {name, body, key, status: pending | accepted | refused | unsaved | failed, reasons}
  #listeners = [];

  /** `listener(entry)` is called for each change of an entry. */
  listen(listener) {
    this.#listeners.push(listener);
  }

  /** Sends a command with a new key; resolves with its entry when the answer is there. */
  send(name, body = {}) {
    const entry = { name, body, key: newKey(), status: "pending", reasons: [] };
    this.entries = [entry, ...this.entries].slice(0, REMEMBERED);
    return this.sendAgain(entry);
  }

  /** The same command with the same key: it counts once, however often it arrives. */
  async sendAgain(entry) {
    this.#change(entry, { status: "pending", reasons: [] });
    this.#change(entry, await this.#post(entry));
    return entry;
  }

  #post({ name, body, key }) {
    return postJson(`/api/commands/${name}`, body, { headers: { "Idempotency-Key": key }, unanswered: word("failedHelp") });
  }

  #change(entry, change) {
    Object.assign(entry, change);
    this.#listeners.forEach((listener) => listener(entry));
  }
}
