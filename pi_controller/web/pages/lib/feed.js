// How a page speaks with the controller: documents, commands, and feeds that stay open.

import { CoreClock, systemTime } from "./clock.js";
import { redraw, setData } from "./dom.js";
import { allTold, speakOf, spokenLanguage, told, wayTo, word } from "./words.js";

/** @import { Said } from "./filling.js" */

// What a page asks the controller for, beside its feed.

const PATIENCE_MS = 10_000;

/** @param {string} path */
function inOurLanguage(path) {
  const address = new URL(path, location.href);
  address.searchParams.set("lang", spokenLanguage());
  return address;
}

/**
 * The JSON of a good answer; null for any other, and where there is no connection or the page is being left.
 * @param {string} path
 * @param {RequestInit} [options]
 */
export async function jsonOf(path, options = {}) {
  try {
    const response = await fetch(inOurLanguage(path), options);
    return response.ok ? await response.json() : null;
  } catch (problem) {
    if (!(problem instanceof TypeError || problem instanceof DOMException)) throw problem;
    return null;
  }
}

/**
 * The JSON of a good answer, however often it has to be asked for.
 * @param {string} path
 * @param {number} retryMs
 */
export async function jsonInTheEnd(path, retryMs) {
  for (;;) {
    const found = await jsonOf(path);
    if (found !== null) return found;
    await new Promise((resolve) => setTimeout(resolve, retryMs));
  }
}

/**
 * The JSON of an answer, in the language of the page, of a POST where there is a body; null where it was refused or none came within `patience` ms, with the controller's
 * sentence, or `unanswered`, as the problem, and what came as the refusal.
 * @param {string} path
 * @param {{ body?: object, unanswered?: string, patience?: number }} options
 * @returns {Promise<{ answer: any, problem: string, refusal?: any }>}
 */
export async function answerOf(path, { body, unanswered = word("action_failed"), patience = PATIENCE_MS } = {}) {
  const sent = body === undefined ? {} : { method: "POST", headers: { "Content-Type": "application/json", Accept: "application/json" }, body: JSON.stringify(body) };
  try {
    const response = await fetch(inOurLanguage(path), { ...sent, signal: AbortSignal.timeout(patience) });
    const answer = await response.json();
    if (response.ok) return { answer, problem: "" };
    return { answer: null, problem: sentencesOf(answer).join(" ") || sentenceFor(response.status), refusal: answer };
  } catch (failure) {
    if (failure instanceof TypeError || failure instanceof DOMException || failure instanceof SyntaxError) return { answer: null, problem: unanswered };
    throw failure;
  }
}

// Sends JSON and reads the answer that commands, actions and rosters have in common.

/**
 * @typedef {{ accepted?: unknown, seq?: unknown, reasons?: unknown, reason_keys?: Said[] | null, error?: unknown }} Answer
 * @typedef {{ status: "accepted" | "failed" | "refused" | "unsaved", reasons: string[], seq?: number }} Outcome
 */

/** @type {Record<number, Outcome["status"]>} */
const STATUSES = { 503: "failed", 507: "unsaved" };
/** @type {Record<number, "answer_401" | "answer_503">} */
const SENTENCES = { 401: "answer_401", 503: "answer_503" };

/** @param {number} status */
function sentenceFor(status) {
  const key = SENTENCES[status];
  return key === undefined ? word("answer_other", { status }) : word(key);
}

/** @param {Answer} answer */
function sentencesOf(answer) {
  if (Array.isArray(answer.reasons) && answer.reasons.length > 0) return allTold(answer.reasons.map(String), answer.reason_keys);
  return typeof answer.error === "string" ? [told(answer.error, answer.reason_keys?.[0])] : [];
}

/**
 * @param {number} status
 * @param {Answer} answer
 * @returns {Outcome}
 */
function outcomeOf(status, answer) {
  const accepted = status === 200 && answer.accepted === true;
  const theirs = sentencesOf(answer);
  const ours = status in SENTENCES || (!accepted && theirs.length === 0);
  const reasons = ours ? [sentenceFor(status)] : theirs;
  return { status: accepted ? "accepted" : (STATUSES[status] ?? "refused"), reasons, ...(typeof answer.seq === "number" ? { seq: answer.seq } : {}) };
}

/**
 * {status: accepted | refused | unsaved | failed, reasons: sentences, seq: of the picture after it}; `unsaved`: done, but not on the disk;
 * `failed`: it is not known whether it arrived.
 * @param {string} path
 * @param {unknown} body
 * @param {{ headers?: Record<string, string>, unanswered: string }} options
 * @returns {Promise<Outcome>}
 */
export async function postJson(path, body, { headers = {}, unanswered }) {
  try {
    const response = await fetch(inOurLanguage(path), {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const isJson = response.headers.get("content-type")?.includes("application/json") ?? false;
    return outcomeOf(response.status, isJson ? await response.json() : {});
  } catch (problem) {
    if (!(problem instanceof TypeError || problem instanceof DOMException)) throw problem;
    return { status: "failed", reasons: [unanswered] };
  }
}

// The room picture as it comes over the feed, and whether it is fresh enough to be shown.

/** @typedef {"fresh" | "lost" | "version" | "waiting"} FeedState */

const STALE_AFTER_MS = 2_050; // a beat, which comes each second, may be a second late; the cover is there 0.4 s before the 2.5 s are over
const CONTRACT_VERSION = 1;
const ASK_PICTURE = '{"ask":"picture"}';
const RETRY_MS = [250, 500, 1_000, 2_000];
const SILENCE_CHECK_MS = 500;

/** A random key; `randomUUID` is missing on plain HTTP other than localhost. */
export function newKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @param {string} path */
export function socketAddress(path) {
  return `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${path}`;
}

/**
 * What a feed looks at in a picture.
 * @typedef {Pick<Api.Picture, "as_of_ms" | "seq" | "session" | "version">} Stamped
 */

/**
 * What of a game counts on every page, for `base.css`: whether it is a rehearsal, and whether seats end their turns themselves.
 * @param {Partial<Api.Picture>} picture
 */
function markPage({ rehearsal = false, rules }) {
  const root = document.documentElement;
  if (rehearsal) root.dataset.rehearsal = word("rehearsal");
  else delete root.dataset.rehearsal;
  if (rules !== undefined) setData(root, "play", rules.play);
}

/**
 * A message of a feed's version 2, which tells what differs, or of a desk.
 * @template Picture
 * @typedef {{ picture: Picture } | { on: number, change: Partial<Picture> } | Api.Beat | { id: number, status: number, answer: Answer }} Message
 */

/**
 * The picture after a change: what it names is as it says; of what is allowed it names the commands that differ.
 * @template {Stamped & { allowed?: object }} Picture
 * @param {Picture} picture
 * @param {Partial<Picture>} change
 * @returns {Picture}
 */
export function changed(picture, change) {
  const next = { ...picture, ...change };
  return change.allowed === undefined ? next : { ...next, allowed: { ...picture.allowed, ...change.allowed } };
}

/**
 * Keeps one socket open. `onPicture(picture)` is called for each picture before it counts; the page is drawn after, and when `why` has changed.
 * Ask `state()` before showing anything.
 * @template {Stamped} [Picture=Api.Picture]
 */
export class Feed {
  /** @type {Picture | null} */
  picture = null;
  why = ""; // the sentence of a controller that does not start
  #clock = new CoreClock();
  /** @type {WebSocket | null} */
  #socket = null;
  #tries = 0;
  #openedAt = 0;
  /** @type {number | null} */
  #retry = null;
  #otherVersion = false;
  /** @type {Map<number, (outcome: Outcome) => void>} */
  #commands = new Map(); // that have no answer yet
  #lastId = 0;

  /** @param {{ onPicture?: (picture: Picture) => void, path?: () => string, retryMs?: number[] }} feed */
  constructor({ onPicture = () => {}, path = () => "/api/feed", retryMs = RETRY_MS } = {}) {
    this.onPicture = onPicture;
    this.path = path;
    this.retryMs = retryMs;
    this.#connect();
    setInterval(() => this.#dropSilentSocket(), SILENCE_CHECK_MS);
  }

  /**
   * `fresh`, `waiting` (nothing yet), `lost` (too old) or `version` (another contract than this page's).
   * @returns {FeedState}
   */
  state() {
    if (this.#otherVersion) return "version";
    if (this.picture === null) return "waiting";
    return this.#clock.ageOfNews(systemTime.mono(), systemTime.wall()) <= STALE_AFTER_MS ? "fresh" : "lost";
  }

  /** Core's clock now, in ms. */
  coreNow() {
    return this.#clock.at(systemTime.mono());
  }

  /**
   * Gives a command over the open socket of a desk, or by a request of its own where there is none.
   * @param {string} command
   * @param {{ body: object, key: string, seen: { seq: number, session: string } | null, unanswered: string }} how
   * @returns {Promise<Outcome>}
   */
  command(command, { body, key, seen, unanswered }) {
    const socket = this.#socket;
    if (socket?.readyState !== WebSocket.OPEN) {
      /** @type {Record<string, string>} */
      const counts = seen === null ? {} : { "If-Seq": String(seen.seq), "If-Session": seen.session };
      return postJson(`/api/commands/${command}`, body, { headers: { "Idempotency-Key": key, ...counts }, unanswered });
    }
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve) => {
      const giveUp = () => this.#answered(id, { status: "failed", reasons: [unanswered] });
      const patience = setTimeout(giveUp, PATIENCE_MS);
      socket.addEventListener("close", giveUp);
      this.#commands.set(id, (outcome) => {
        clearTimeout(patience);
        socket.removeEventListener("close", giveUp);
        resolve(outcome);
      });
      socket.send(JSON.stringify({ id, command, body, key, ...(seen === null ? {} : { if_seq: seen.seq, if_session: seen.session }) }));
    });
  }

  /**
   * @param {number} id
   * @param {Outcome} outcome
   */
  #answered(id, outcome) {
    const answered = this.#commands.get(id);
    this.#commands.delete(id);
    answered?.(outcome);
  }

  #connect() {
    this.#retry = null;
    this.#openedAt = systemTime.mono();
    const way = new URL(this.path(), location.href);
    way.searchParams.set("version", "2");
    const socket = new WebSocket(socketAddress(way.pathname + way.search));
    this.#socket = socket;
    socket.onmessage = (event) => {
      const message = JSON.parse(event.data);
      if ("answer" in message) this.#answered(message.id, outcomeOf(message.status, message.answer));
      else if (this.#socket === socket) this.#take(message);
    };
    socket.onclose = () => {
      if (this.#socket === socket) this.#connectLater();
    };
  }

  #connectLater() {
    if (this.#retry !== null) return;
    const delay = this.retryMs[Math.min(this.#tries, this.retryMs.length - 1)];
    this.#tries += 1;
    this.#retry = setTimeout(() => this.#connect(), delay);
  }

  #dropSilentSocket() {
    const patience = systemTime.mono() - this.#openedAt > STALE_AFTER_MS;
    if (this.#retry === null && patience && this.state() !== "fresh") this.#startAgain();
  }

  #startAgain() {
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
    this.#clock.reset();
    this.#connectLater();
    this.#askWhy();
  }

  async #askWhy() {
    const answer = await fetch("/api/state", { headers: { Accept: "application/json" } }).catch(() => null);
    const given = answer?.status === 503 ? await answer.json().catch(() => ({})) : {};
    const why = this.state() === "fresh" ? "" : told(given.not_started ?? "", given.not_started_key);
    if (why === this.why) return;
    this.why = why;
    redraw();
  }

  /** @param {{ picture: Picture } | { on: number, change: Partial<Picture> } | Api.Beat} message */
  #take(message) {
    // What lay in the line while this computer slept has no known age.
    if (this.#clock.slept(systemTime.mono(), systemTime.wall())) return this.#startAgain();
    if ("on" in message) return this.#takeChange(message);
    this.#otherVersion = ("beat" in message ? message : message.picture).version !== CONTRACT_VERSION;
    if (this.#otherVersion) return;
    if ("picture" in message) this.#takePicture(message.picture, message.picture.as_of_ms);
    // A beat of a picture that we have not got is no news about ours.
    else if (message.session === this.picture?.session && message.beat === this.picture.seq) this.#hear(message.as_of_ms);
  }

  /** @param {{ on: number, change: Partial<Picture> }} message */
  #takeChange({ on, change }) {
    const { picture } = this;
    const known = picture !== null && (change.seq === undefined ? on < picture.seq : change.seq <= picture.seq);
    if (known) return;
    if (picture?.seq !== on) this.#socket?.send(ASK_PICTURE);
    else this.#takePicture(changed(picture, change), change.as_of_ms);
  }

  /**
   * @param {Picture} picture
   * @param {number | undefined} asOfMs when it was made; undefined: what was known before is only more complete
   */
  #takePicture(picture, asOfMs) {
    if (picture.session !== this.picture?.session) this.#clock.reset();
    if ("rules" in picture) speakOf(/** @type {Api.RulesView} */ (picture.rules).play);
    this.onPicture(picture); // one that cannot be shown is thrown out here, never counts as news, and the page gets covered
    this.picture = picture;
    markPage(/** @type {Partial<Api.Picture>} */ (picture));
    this.why = "";
    this.#tries = 0;
    if (asOfMs !== undefined) this.#hear(asOfMs);
    redraw();
  }

  /** @param {number} asOfMs */
  #hear(asOfMs) {
    this.#clock.heard(asOfMs, systemTime.mono(), systemTime.wall());
  }
}

// A feed that speaks on changes only: an open socket is its sign of life.

const OPEN_AGAIN_MS = 1_000;
/** The code with which a socket closes when the log-in that opened it has ended. */
export const LOG_IN_ENDED = 4401;

/**
 * Keeps a socket open. `onOpen(true)` comes with the first message, `onOpen(false)` at the start and when the line is cut; the page is drawn after each.
 * @template Message
 * @param {{ path: string, onMessage: (message: Message) => unknown, onOpen?: (open: boolean) => unknown }} feed
 */
export function openFeed(feed) {
  const { path, onMessage, onOpen = () => {} } = feed;
  const socket = new WebSocket(socketAddress(path));
  onOpen(false);
  socket.onmessage = (event) => {
    const message = JSON.parse(event.data);
    onOpen(true);
    onMessage(message);
    redraw();
  };
  socket.onclose = ({ code }) => {
    onOpen(false);
    redraw();
    if (code === LOG_IN_ENDED) return location.assign(wayTo(`/login?to=${location.pathname}`));
    setTimeout(() => openFeed(feed), OPEN_AGAIN_MS);
  };
}
