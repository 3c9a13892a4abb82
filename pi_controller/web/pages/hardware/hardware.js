// The hardware test: every output by hand, every contact live. On while this page holds its line to the controller.

import { html, nothing, render } from "../vendor/lit-html/lit-html.js";
import { nodesCard, outputsCard } from "./outputs.js";
import { edgesCard } from "./timeline.js";
import { buttonCard } from "../lib/button_card.js";
import { factList, symbol } from "../lib/components.js";
import { drawBy, redraw } from "../lib/dom.js";
import { Feed, LOG_IN_ENDED, openFeed, socketAddress } from "../lib/feed.js";
import { technicianHead } from "../lib/head.js";
import { allTold, hasWord, told, word } from "../lib/words.js";

/** @import { Said } from "../lib/filling.js" */

// The line to the controller while the hardware test is on: probes go out, answers and news come in.

/**
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

// Whether the test is on, and the way in and out of it.

const SAID = /** @type {const} */ ({
  idle: ["hardware_idle", "hardware_idle_help"],
  asking: ["hardware_asking", "hardware_idle_help"],
  held: ["hardware_held", "hardware_held_help"],
  refused: ["hardware_refused", "hardware_idle_help"],
  over: ["hardware_over", "hardware_idle_help"],
});

/**
 * @param {Line} line
 * @param {LineState} news
 */
function holdCard(line, { state, reasons = [] }) {
  const [title, help] = SAID[state];
  const begin = () => html`<button type="button" class="strong" ?disabled=${state === "asking"} @click=${() => line.open()}>${word(state === "refused" ? "hardware_again" : "hardware_begin")}</button>`;
  return html`<section class="card hold" data-is="hold" data-state=${state} aria-live="polite">
    <span class="hold-sign" aria-hidden="true"></span>
    <h2 data-is="hold-title">${word(title)}</h2>
    <p>${word(help)}</p>
    <ul class="reasons">${reasons.map((reason) => html`<li>${reason}</li>`)}</ul>
    <div class="row">
      ${state === "held" ? html`<button type="button" @click=${() => line.close()}>${word("hardware_end")}</button>` : begin()}
      ${state === "refused" ? html`<button type="button" @click=${() => line.open({ take: true })}>${word("hardware_take")}</button>` : nothing}
    </div>
  </section>`;
}

// What the controller says it has, as facts with their names. A name that has no words yet is taken as it comes.

/**
 * @param {string} name
 * @param {unknown} value
 */
function asText(name, value) {
  if (name === "simulated") return word(value ? "hardware_simulated" : "hardware_real");
  if (name === "contacts") return word(value === "nc_no" ? "hardware_contacts_both" : "hardware_contacts_one");
  if (name === "longest_tone_ms") return word("hardware_seconds", { seconds: Number(value) / 1_000 });
  if (name === "baud") return word("baud_rate", { baud: Number(value) });
  if (value === null || value === "" || (Array.isArray(value) && value.length === 0)) return word("hardware_none");
  if (typeof value === "boolean") return word(value ? "yes" : "no");
  return Array.isArray(value) ? value.join(", ") : String(value);
}

/** @param {Api.Fitted} settings */
function fittedFacts(settings) {
  return Object.entries(settings).map(([name, value]) => {
    const key = `hardware_fitted_${name}`;
    return { name: hasWord(key) ? word(key) : name, text: asText(name, value) };
  });
}

// The pause button's contacts as they are now, and what they say together; beside them the shutdown button.

const CONTACTS = /** @type {const} */ (["no", "nc"]);
const LEVEL_WORDS = /** @type {const} */ ({ closed: "hardware_closed", open: "hardware_open", unwired: "hardware_unwired" });

/** @param {Api.Inputs | null} inputs */
function readingOf(inputs) {
  if (inputs === null) return "unknown";
  const { no_closed: no, nc_closed: nc } = inputs;
  if (nc === null) return no ? "pressed" : "released";
  if (no && nc) return "short";
  if (!no && !nc) return "cut";
  return no ? "pressed" : "released";
}

/** @param {boolean | null | undefined} closed */
function levelOf(closed) {
  if (closed === null || closed === undefined) return "unwired";
  return closed ? "closed" : "open";
}

/**
 * @param {string} name
 * @param {keyof typeof LEVEL_WORDS} level
 * @param {string} text
 */
const contactLine = (name, level, text) => html`<li class="contact" data-level=${level}>${symbol(level === "closed" ? "contact-closed" : "contact-open")}<span>${name}</span><b>${text}</b></li>`;

/**
 * `null`: nothing is watched.
 * @param {Api.Inputs | null} inputs
 */
function inputsCard(inputs) {
  const reading = readingOf(inputs);
  const contact = (/** @type {(typeof CONTACTS)[number]} */ name) => {
    const level = levelOf(inputs?.[`${name}_closed`]);
    return contactLine(word(`hardware_contact_${name}`), level, inputs === null ? "" : word(LEVEL_WORDS[level]));
  };
  const shutdown = inputs?.shutdown_pressed ?? null;
  const shutdownLine = contactLine(word("hardware_shutdown"), shutdown ? "closed" : "open", word(shutdown ? "hardware_reading_pressed" : "hardware_reading_released"));
  return html`<section class="card inputs-card">
    <h2>${word("hardware_button")}</h2>
    <p class="reading" data-is="reading" data-reading=${reading}>${word(`hardware_reading_${reading}`)}</p>
    <ul class="contacts" data-is="contacts">${CONTACTS.map(contact)}</ul>
    <p class="hint">${word("hardware_button_help")}</p>
    ${shutdown === null ? nothing : html`<ul class="contacts single" data-is="shutdown">${shutdownLine}</ul>`}
  </section>`;
}

/** @type {LineState} */
let state = { state: "idle" };
/** @type {Api.Inputs | null} */
let contacts = null;
/** @type {Api.NodeView[]} */
let nodeViews = [];
const feed = new Feed();
const line = new Line({ onState: takeState, onNews: takeNews });
const outputs = outputsCard(line);
const edges = edgesCard(async (since) => (await line.probe({ do: "edges", since })).result ?? { edges: [], dropped: 0 });
const nodes = nodesCard(line);
const usbButton = buttonCard();

/** @param {LineState} news */
function takeState(news) {
  state = news;
  contacts = null;
  outputs.reset();
  if (news.state === "held") edges.begin();
  else edges.end();
  nodes.reset();
  redraw();
}

/** @param {Api.TestNews} test */
function takeNews(test) {
  contacts = test.inputs ?? contacts;
  if (test.pressed) nodes.press(test.pressed);
  if (test.inputs || test.edges) edges.take(test);
  redraw();
}

/** @param {Api.Fitted} settings */
const fittedCard = (settings) => html`<section class="card fitted-card"><h2>${word("hardware_fitted")}</h2>${factList("fitted", "pair", fittedFacts(settings))}</section>`;

function draw() {
  document.body.dataset.state = state.state;
  const page = html`
    ${technicianHead({ path: "/technician/hardware", feed })}
    <main>
      ${holdCard(line, state)}${outputs.draw()}${inputsCard(contacts)}${usbButton()}${edges.draw()}${nodes.draw(nodeViews)}
      ${state.state === "held" ? fittedCard(state.settings) : nothing}
    </main>`;
  render(page, document.body);
}

openFeed({ path: "/api/tables/feed", onMessage: (/** @type {Api.TablesSnapshot} */ snapshot) => (nodeViews = snapshot.nodes) });
addEventListener("pagehide", () => line.close());
drawBy(draw);
