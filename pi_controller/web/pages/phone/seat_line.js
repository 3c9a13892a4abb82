// The line of a seat with a code: measures core's clock and takes claims to the controller, each until it is answered.

import { socketAddress } from "../feed.js";
import { allTold, spokenLanguage } from "../words.js";
import { Offset } from "./offset.js";

const RETRY_MS = 1_000;
const PINGS_AT_FIRST = 8;
const FIRST_PINGS_MS = 150;
const PING_MS = 8_000;
const AGAIN_MS = [500, 1_000, 2_000];
const NO_SUCH_CODE = 4403;
const TAKEN = 4409;
const US_PER_MS = 1_000;

/** @typedef {{ key: string, core: number, error: number, tries: number, refused: string[] | null, done: boolean }} SeatClaim */
/** @typedef {"away" | "here" | "taken" | "wrong"} LineState */

/** What this device calls itself. */
function deviceName() {
  const kept = localStorage.getItem("device") ?? Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join("-");
  localStorage.setItem("device", kept);
  return kept;
}

/**
 * Takes the code to the encrypted address where claims go only there; false where they go here.
 * @param {string} code
 */
export async function claimsElsewhere(code) {
  if (location.protocol === "https:") return false;
  const answer = await fetch("/api/join").catch((problem) => {
    if (!(problem instanceof TypeError)) throw problem;
    return null;
  });
  if (!answer?.ok) {
    // Until it is known where claims go the code goes nowhere.
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    return claimsElsewhere(code);
  }
  /** @type {{ claims?: string | null }} */
  const { claims } = await answer.json();
  if (!claims) return false;
  location.replace(`${claims}${location.search}#${encodeURIComponent(code)}`);
  return true;
}

export class SeatLine {
  /** @type {LineState} */
  state = "away";
  /** @type {SeatClaim | null} */
  claim = null;
  #offset = new Offset();
  /** @type {WebSocket | null} */
  #socket = null;
  #pings = 0;

  /** @param {{ code: string, onSeat: (seat: { board: string, side: string }) => void, redraw: () => void }} line */
  constructor({ code, onSeat, redraw }) {
    this.code = code;
    this.onSeat = onSeat;
    this.redraw = redraw;
    this.#open();
  }

  /** By how much a claim of this moment may be wrong, in ms; null while core's clock is not known. */
  errorNow() {
    return this.#offset.at(performance.now())?.error ?? null;
  }

  /**
   * The button has been held; its press began at `pressed`, in ms of this page's clock.
   * @param {number} pressed
   */
  send(pressed) {
    const moment = this.#offset.at(pressed);
    if (moment === null) return;
    const key = Array.from(crypto.getRandomValues(new Uint32Array(3)), (part) => part.toString(36).padStart(4, "0")).join("-");
    this.claim = { key, ...moment, tries: 0, refused: null, done: false };
    this.#tryClaim(this.claim);
  }

  /** Take the seat back from another device. */
  takeBack() {
    this.state = "away";
    this.#open();
  }

  #open() {
    const socket = new WebSocket(socketAddress(`/api/seat?lang=${spokenLanguage()}&seat=${encodeURIComponent(this.code)}`));
    this.#socket = socket;
    socket.onopen = () => socket.send(JSON.stringify({ code: this.code, device: deviceName() }));
    socket.onmessage = (event) => this.#heard(JSON.parse(event.data));
    socket.onclose = ({ code }) => this.#closed(code);
  }

  /** @param {number} code */
  #closed(code) {
    this.state = code === NO_SUCH_CODE ? "wrong" : code === TAKEN ? "taken" : "away";
    this.#socket = null;
    if (this.state === "away") setTimeout(() => this.#open(), RETRY_MS);
    this.redraw();
  }

  /** @param {any} message */
  #heard(message) {
    if (message.seat !== undefined) this.#entered(message.seat);
    else if (message.pong !== undefined) this.#measured(message.pong / US_PER_MS, message.at_us / US_PER_MS);
    else if (message.claim === this.claim?.key) this.#answered(message);
  }

  /**
   * @param {number} sent
   * @param {number} core
   */
  #measured(sent, core) {
    const first = this.errorNow() === null;
    this.#offset.heard(sent, core, performance.now());
    if (first) this.redraw(); // from here on it can claim
  }

  /** @param {{ board: string, side: string }} seat */
  #entered(seat) {
    this.state = "here";
    this.#offset.reset();
    this.#pings = 0;
    this.#ping(this.#socket);
    this.onSeat(seat);
    if (this.claim !== null && !this.claim.done) this.#tryClaim(this.claim);
  }

  /** @param {WebSocket | null} socket */
  #ping(socket) {
    if (socket === null || socket !== this.#socket || socket.readyState !== WebSocket.OPEN) return;
    socket.send(JSON.stringify({ ping: Math.round(performance.now() * US_PER_MS) }));
    this.#pings += 1;
    setTimeout(() => this.#ping(socket), this.#pings < PINGS_AT_FIRST ? FIRST_PINGS_MS : PING_MS);
  }

  /** @param {SeatClaim} claim */
  #tryClaim(claim) {
    if (claim.done || claim !== this.claim) return;
    if (this.#socket?.readyState === WebSocket.OPEN && this.state === "here") {
      this.#socket.send(JSON.stringify({ claim: claim.key, pressed_us: Math.round(claim.core * US_PER_MS), error_us: Math.ceil(claim.error * US_PER_MS) }));
      const wait = AGAIN_MS[Math.min(claim.tries, AGAIN_MS.length - 1)];
      claim.tries += 1;
      setTimeout(() => this.#tryClaim(claim), wait);
    }
    this.redraw();
  }

  /** @param {{ accepted: boolean, reasons: string[], reason_keys: import("../filling.js").Said[] }} answer */
  #answered({ accepted, reasons, reason_keys: keys }) {
    if (this.claim === null) return;
    this.claim.done = true;
    this.claim.refused = accepted ? null : allTold(reasons, keys);
    this.redraw();
  }
}
