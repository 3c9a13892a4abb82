// Sends commands, each with a key of its own, and remembers what became of them.

import { word } from "../words.js";

const PATIENCE_MS = 10_000;
const REMEMBERED = 12;

/** A random key; `randomUUID` is missing on plain HTTP other than localhost. */
export function newKey() {
  if (typeof crypto.randomUUID === "function") return crypto.randomUUID();
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

const SENTENCES = { 401: "answer401", 403: "answer403", 503: "answer503" };

function sentenceFor(status) {
  return SENTENCES[status] ? word(SENTENCES[status]) : word("answerOther", { status });
}

async function answerOf(response) {
  const isJson = response.headers.get("content-type")?.includes("application/json") ?? false;
  const answer = isJson ? await response.json() : {};
  const accepted = response.ok && answer.accepted === true;
  const told = Array.isArray(answer.reasons) ? answer.reasons.map(String) : [];
  const ours = response.status in SENTENCES || (!accepted && told.length === 0);
  const reasons = ours ? [sentenceFor(response.status)] : told;
  return { status: accepted ? "accepted" : response.status === 503 ? "failed" : "refused", reasons };
}

export class Commander {
  entries = []; // newest first: {name, body, key, status: pending | accepted | refused | failed, reasons}
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

  async #post(entry) {
    try {
      const response = await fetch(`/api/commands/${entry.name}`, {
        method: "POST",
        headers: { "Content-Type": "application/json", "Idempotency-Key": entry.key },
        body: JSON.stringify(entry.body),
        signal: AbortSignal.timeout(PATIENCE_MS),
      });
      return await answerOf(response);
    } catch (problem) {
      if (!(problem instanceof TypeError || problem instanceof DOMException)) throw problem;
      return { status: "failed", reasons: [word("failedHelp")] };
    }
  }

  #change(entry, change) {
    Object.assign(entry, change);
    this.#listeners.forEach((listener) => listener(entry));
  }
}
