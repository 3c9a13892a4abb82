// The line to the controller while the hardware test is on: probes go out, answers and news come in.

import { socketAddress } from "../feed.js";
import { LOG_IN_ENDED } from "../open_feed.js";
import { word } from "../words.js";

/**
 * `onState({state, reasons, settings})` is called with `asking`, `held`, `refused` or `over`; `onNews(test)` for what
 * the controller tells by itself. Closing the line ends the test.
 */
export class Line {
  #socket = null;
  #asked = new Map();
  #number = 0;

  constructor({ onState, onNews }) {
    this.onState = onState;
    this.onNews = onNews;
    this.held = false;
  }

  open({ take = false } = {}) {
    const socket = new WebSocket(socketAddress(`/api/hardware/feed${take ? "?take=1" : ""}`));
    this.#socket = socket;
    this.onState({ state: "asking" });
    socket.onmessage = (event) => this.#socket === socket && this.#take(JSON.parse(event.data));
    socket.onclose = ({ code }) =>
      this.#socket === socket && this.#over([word(code === LOG_IN_ENDED ? "answer401" : "hwCut")]);
  }

  close() {
    const socket = this.#socket;
    if (socket === null) return;
    this.#over([]);
    socket.close();
  }

  /** Resolves with {result} or {error: sentence}. */
  probe(probe) {
    if (!this.held) return Promise.resolve({ error: word("hwOver") });
    this.#number += 1;
    const id = this.#number;
    this.#socket.send(JSON.stringify({ id, probe }));
    return new Promise((done) => this.#asked.set(id, done));
  }

  #take(message) {
    if ("held" in message) return this.#begun(message);
    if ("ended" in message) return this.#over([message.ended]);
    if ("test" in message) return this.onNews(message.test);
    this.#asked.get(message.id)?.(message);
    this.#asked.delete(message.id);
  }

  #begun({ held, reasons = [], settings = {} }) {
    this.held = held;
    if (!held) this.#socket = null;
    this.onState(held ? { state: "held", settings } : { state: "refused", reasons });
  }

  #over(reasons) {
    this.held = false;
    this.#socket = null;
    for (const done of this.#asked.values()) done({ error: word("hwOver") });
    this.#asked.clear();
    this.onState({ state: "over", reasons });
  }
}
