// The line to the controller while the hardware test is on: probes go out, answers and news come in.

import { socketAddress } from "../feed.js";
import { LOG_IN_ENDED } from "../open_feed.js";
import { allTold, told, word } from "../words.js";

/**
 * @import { Said } from "../filling.js"
 * @typedef {{ state: "asking" | "idle", reasons?: undefined } | { state: "held", settings: Api.Fitted, reasons?: undefined } | { state: "over" | "refused", reasons: string[] }} LineState
 * @typedef {Api.Probes[keyof Api.Probes]} ProbeBody
 * @typedef {{ held: true, settings: Api.Fitted } | { held: false, reasons?: string[], reason_keys?: Said[] }} Begun
 * @typedef {Begun | { ended: string, reason_keys?: Said[] } | { test: Api.TestNews } | { id: number, result?: unknown, error?: string, reason_keys?: Said[] }} Message
 */

/**
 * What came of a probe.
 * @template Result
 * @typedef {{ result?: Result, error?: string }} Answer
 */

/**
 * `onState({state, reasons, settings})` is called with `asking`, `held`, `refused` or `over`; `onNews(test)` for what
 * the controller tells by itself. Closing the line ends the test.
 */
export class Line {
  /** @type {WebSocket | null} */
  #socket = null;
  /** @type {Map<number, (answer: { result?: unknown, error?: string }) => void>} */
  #asked = new Map();
  #number = 0;

  /** @param {{ onState: (news: LineState) => void, onNews: (test: Api.TestNews) => void }} listeners */
  constructor({ onState, onNews }) {
    this.onState = onState;
    this.onNews = onNews;
    this.held = false;
  }

  /** @param {{ take?: boolean }} options */
  open({ take = false } = {}) {
    const socket = new WebSocket(socketAddress(`/api/hardware/feed${take ? "?take=1" : ""}`));
    this.#socket = socket;
    this.onState({ state: "asking" });
    socket.onmessage = (event) => this.#socket === socket && this.#take(JSON.parse(event.data));
    socket.onclose = ({ code }) =>
      this.#socket === socket && this.#over([word(code === LOG_IN_ENDED ? "answer_401" : "hardware_cut")]);
  }

  close() {
    const socket = this.#socket;
    if (socket === null) return;
    this.#over([]);
    socket.close();
  }

  /**
   * Resolves with {result} or {error: sentence}.
   * @template {ProbeBody} Probe
   * @param {Probe} probe
   * @returns {Promise<Answer<Api.Results[Probe["do"]]>>}
   */
  probe(probe) {
    if (!this.held) return Promise.resolve({ error: word("hardware_over") });
    this.#number += 1;
    const id = this.#number;
    this.#socket?.send(JSON.stringify({ id, probe }));
    return new Promise((done) => this.#asked.set(id, (answer) => done(/** @type {Answer<Api.Results[Probe["do"]]>} */ (answer))));
  }

  /** @param {Message} message */
  #take(message) {
    if ("held" in message) return this.#begun(message);
    if ("ended" in message) return this.#over(allTold([message.ended], message.reason_keys));
    if ("test" in message) return this.onNews(message.test);
    const { id, error, reason_keys: keys } = message;
    this.#asked.get(id)?.(error === undefined ? message : { error: told(error, keys?.[0]) });
    this.#asked.delete(message.id);
  }

  /** @param {Begun} news */
  #begun(news) {
    this.held = news.held;
    if (!news.held) this.#socket = null;
    this.onState(news.held ? { state: "held", settings: news.settings } : { state: "refused", reasons: allTold(news.reasons ?? [], news.reason_keys) });
  }

  /** @param {string[]} reasons */
  #over(reasons) {
    this.held = false;
    this.#socket = null;
    for (const done of this.#asked.values()) done({ error: word("hardware_over") });
    this.#asked.clear();
    this.onState({ state: "over", reasons });
  }
}
