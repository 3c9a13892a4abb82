// The own seat of a phone: chosen by hand or by a code, with which it can claim.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { Offset } from "../lib/clock.js";
import { symbol } from "../lib/components.js";
import { redraw } from "../lib/dom.js";
import { jsonInTheEnd, newKey, socketAddress } from "../lib/feed.js";
import { inTurns, sceneOf } from "../lib/reading.js";
import { allSeats } from "../lib/seats.js";
import { allTold, spokenLanguage, word } from "../lib/words.js";

// The line of a seat with a code: measures core's clock and takes claims to the controller, each until it is answered.

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
  const kept = localStorage.getItem("device") ?? newKey();
  localStorage.setItem("device", kept);
  return kept;
}

/**
 * What is wrong with a code, and what to do.
 * @param {string} why as the socket closes
 */
function wrongText(why) {
  if (why === "revoked") return word("seat_revoked");
  return why === "not_ours" ? word("seat_not_ours") : word("seat_no_code");
}

class SeatLine {
  /** @type {LineState} */
  state = "away";
  /** @type {SeatClaim | null} */
  claim = null;
  #offset = new Offset();
  /** @type {WebSocket | null} */
  #socket = null;
  #pings = 0;

  wrong = ""; // what is wrong with the code, or nothing

  /**
   * `claims`: whether phones may claim here.
   * @param {string} code
   * @param {boolean} claims
   * @param {(seat: { board: string, side: string }) => void} onSeat
   */
  constructor(code, claims, onSeat) {
    this.code = code;
    this.onSeat = onSeat;
    if (claims) this.#open();
    else [this.state, this.wrong] = ["wrong", word("seat_off")];
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
    this.claim = { key: newKey(), ...moment, tries: 0, refused: null, done: false };
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
    socket.onclose = ({ code, reason }) => this.#closed(code, reason);
  }

  /**
   * @param {number} code
   * @param {string} why
   */
  #closed(code, why) {
    this.wrong = code === NO_SUCH_CODE ? wrongText(why) : "";
    this.state = code === NO_SUCH_CODE ? "wrong" : code === TAKEN ? "taken" : "away";
    this.#socket = null;
    if (this.state === "away") setTimeout(() => this.#open(), RETRY_MS);
    redraw();
  }

  /** @param {any} message */
  #heard(message) {
    if (message.seat !== undefined) this.#entered(message.seat);
    else if (message.pong !== undefined) this.#offset.heard(message.pong / US_PER_MS, message.at_us / US_PER_MS, performance.now());
    else if (message.claim === this.claim?.key) this.#answered(message);
    redraw();
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
    if (claim.done || claim !== this.claim || this.#socket?.readyState !== WebSocket.OPEN || this.state !== "here") return;
    this.#socket.send(JSON.stringify({ claim: claim.key, pressed_us: Math.round(claim.core * US_PER_MS), error_us: Math.ceil(claim.error * US_PER_MS) }));
    const wait = AGAIN_MS[Math.min(claim.tries, AGAIN_MS.length - 1)];
    claim.tries += 1;
    setTimeout(() => this.#tryClaim(claim), wait);
  }

  /** @param {{ accepted: boolean, reasons: string[], reason_keys: import("../lib/filling.js").Said[] }} answer */
  #answered({ accepted, reasons, reason_keys: keys }) {
    if (this.claim === null) return;
    this.claim.done = true;
    this.claim.refused = accepted ? null : allTold(reasons, keys);
  }
}

// The claim button of a seat: held for as long as a table node's, with the moment at which the press began.

const HOLD_MS = 600; // as at a table node

class ClaimButton {
  /** @type {number | null} */
  #timer = null;

  /** @param {SeatLine} line */
  constructor(line) {
    this.line = line;
  }

  /**
   * @param {Phone.PhonePicture} picture
   * @param {{ board: string, side: string } | null} seat null: none is known yet
   */
  draw(picture, seat) {
    const { line } = this;
    if (line.state === "wrong") return html`<p class="seat-news bad" role="status">${line.wrong}</p>`;
    if (line.state === "taken") return html`<div class="seat-news bad" role="status"><p>${word("seat_taken")}</p><button @click=${() => line.takeBack()}>${word("seat_take_back")}</button></div>`;
    if (seat === null) return nothing;
    const standing = picture.claims.some((claim) => claim.board === seat.board && claim.side === seat.side);
    return html`<div class="claim-place">
      <p class="seat-news" data-is="seat-news" role="status">${this.#news(standing)}</p>
      ${this.#button(picture, seat, standing)}
    </div>`;
  }

  /** @param {boolean} standing */
  #news(standing) {
    const { claim, state } = this.line;
    if (standing) return word("seat_claim_stands");
    if (claim !== null && !claim.done) return word("seat_claim_sent");
    if (claim?.refused) return claim.refused.join(" ");
    return state === "away" || this.line.errorNow() === null ? word("seat_no_line") : "";
  }

  /**
   * @param {Phone.PhonePicture} picture
   * @param {{ side: string }} seat
   * @param {boolean} standing
   */
  #button(picture, seat, standing) {
    if (standing || ["collecting", "ended", "ready"].includes(picture.phase)) return nothing;
    const own = picture.side === seat.side || sceneOf(picture) === "pause";
    const ready = own && this.line.state === "here" && this.line.errorNow() !== null;
    return html`<button class="claim-button" data-is="claim" data-held=${this.#timer !== null} ?disabled=${!ready}
      @pointerdown=${(/** @type {PointerEvent} */ event) => this.#press(event)} @pointerup=${() => this.#release()} @pointercancel=${() => this.#release()} @pointerleave=${() => this.#release()}
      @keydown=${(/** @type {KeyboardEvent} */ event) => this.#key(event)} @keyup=${() => this.#release()} @contextmenu=${(/** @type {Event} */ event) => event.preventDefault()}>${word(own ? "seat_hold" : "seat_wait")}</button>`;
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if ((event.key === " " || event.key === "Enter") && !event.repeat) this.#press(event);
  }

  /** @param {UIEvent} event */
  #press(event) {
    this.#release();
    const pressed = event.timeStamp;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.line.send(pressed);
    }, HOLD_MS);
    redraw();
  }

  #release() {
    if (this.#timer === null) return;
    clearTimeout(this.#timer);
    this.#timer = null;
    redraw();
  }
}

// What a phone does besides showing: it trembles when the own turn begins or play stops.

const VIBRATES = "vibrate";
const TURN_MS = [200, 100, 200];
const PAUSE_MS = [600];
const CAN_VIBRATE = "vibrate" in navigator;

export class Senses {
  #felt = "";

  /**
   * A picture has come: tremble when with it the own turn begins or play stops.
   * @param {Phone.PhonePicture} picture
   * @param {string | null} side the own one
   */
  follow(picture, side) {
    const scene = sceneOf(picture);
    const own = scene === "play" && side !== null && picture.side === side;
    const felt = own ? `turn-${picture.round}` : scene;
    const before = this.#felt;
    this.#felt = felt;
    if (before === "" || felt === before || !this.vibrates || !CAN_VIBRATE || navigator.userActivation?.hasBeenActive === false) return;
    if (own) navigator.vibrate(TURN_MS);
    else if (scene === "pause") navigator.vibrate(PAUSE_MS);
  }

  get vibrates() {
    return localStorage.getItem(VIBRATES) !== "no";
  }

  set vibrates(on) {
    localStorage.setItem(VIBRATES, on ? "yes" : "no");
  }
}

// The sheet in which the own seat is chosen.

const LONGEST_BOARD = 24;

/**
 * @param {OwnSeat} own
 * @param {Pick<Api.Picture, "rules" | "seats"> | null} picture
 */
function seatSheet(own, picture) {
  const { code, seat } = own;
  const oneTable = inTurns(picture);
  return html`<form class="seat-sheet" data-is="seat-sheet" aria-label=${word("phone_seat")} @submit=${(/** @type {SubmitEvent} */ event) => choose(own, event)}>
    <h2>${word("phone_seat")}</h2>
    ${oneTable ? nothing : html`<p class="help">${word("phone_seat_help")}</p>
    <label>${word("board")}<input ?disabled=${code !== null} name="board" data-is="seat-board" required maxlength=${LONGEST_BOARD} autocomplete="off" autocapitalize="characters" .value=${seat?.board ?? ""} placeholder=${word("phone_board_example")}></label>`}
    <fieldset><legend>${word(oneTable ? "turn_seat" : "side_label")}</legend>${allSeats(picture).map(
      ({ id, name, sign, colour }) => html`<label class="side" data-colour=${colour}><input type="radio" name="side" value=${id} required ?disabled=${code !== null} .checked=${seat?.side === id}>${symbol(sign)}<span>${name}</span></label>`,
    )}</fieldset>
    ${CAN_VIBRATE ? vibration(own.senses) : nothing}
    <div class="acts"><button class="keep" data-is="keep-seat" ?hidden=${code !== null}>${word("phone_keep_seat")}</button>
    ${seat === null ? nothing : html`<button type="button" @click=${() => own.keep(null)}>${word("phone_forget_seat")}</button>`}
    <button type="button" @click=${() => (own.open = false)}>${word("close")}</button></div>
  </form>`;
}

/** @param {Senses} senses */
const vibration = (senses) => html`<label class="switch"><input type="checkbox" .checked=${senses.vibrates} @change=${(/** @type {any} */ { currentTarget }) => (senses.vibrates = currentTarget.checked)}><span>${word("phone_vibrate")}</span></label>`;

/**
 * @param {OwnSeat} own
 * @param {SubmitEvent} event
 */
function choose(own, event) {
  const form = new FormData(/** @type {HTMLFormElement} */ (event.currentTarget));
  const board = String(form.get("board") ?? "").trim();
  if (board !== "" || !form.has("board")) own.keep({ board, side: String(form.get("side")) });
}

// The seat of who holds this phone, kept on the phone alone.

/** @typedef {{ board: string, side: string }} Seat */

const SEAT = "seat";
const CODE = "seat-code";

/** @returns {Seat | null} */
function kept() {
  const said = JSON.parse(localStorage.getItem(SEAT) ?? "null");
  return typeof said?.board === "string" && typeof said?.side === "string" ? { board: said.board, side: said.side } : null;
}

/** The seat code that this page was opened with, or an earlier one; null: none. */
function keptCode() {
  const opened = decodeURIComponent(location.hash.slice(1));
  if (opened !== "") {
    localStorage.setItem(CODE, opened);
    history.replaceState(null, "", location.pathname + location.search);
  }
  return localStorage.getItem(CODE);
}

export class OwnSeat {
  open = false; // the sheet in which it is chosen
  /** The own seat; null while none is chosen. */
  seat = kept();
  /** The code that says which it is; null: chosen by hand. */
  code = keptCode();
  /** @type {ClaimButton | null} */
  #claimButton = null;

  /** @param {Senses} senses */
  constructor(senses) {
    this.senses = senses;
    if (this.code !== null) this.#hold(this.code);
  }

  /** @param {string} path once it is known that the code may be shown here */
  keyed(path) {
    return this.code === null || this.#claimButton === null ? path : `${path}?seat=${encodeURIComponent(this.code)}`;
  }

  /** @param {string} code */
  async #hold(code) {
    /** @type {{ claims?: string | null, seat_codes?: boolean }} */
    const ways = await jsonInTheEnd("/api/join", RETRY_MS); // until it is known where claims go the code goes nowhere
    if (ways.claims && location.protocol !== "https:") {
      localStorage.removeItem(CODE);
      location.replace(`${ways.claims}${location.search}#${encodeURIComponent(code)}`);
      return;
    }
    this.#claimButton = new ClaimButton(new SeatLine(code, ways.seat_codes !== false, (seat) => this.keep(seat)));
    redraw();
  }

  /**
   * What a seat with a code has below the clock; nothing without one.
   * @param {Phone.PhonePicture} picture
   */
  claimPlace(picture) {
    return this.#claimButton?.draw(picture, this.seat) ?? nothing;
  }

  /**
   * The button that says the own seat and opens its sheet.
   * @param {Pick<Api.Picture, "seats"> | null} picture
   */
  button(picture) {
    const seat = this.seat;
    const own = allSeats(picture).find(({ id }) => id === seat?.side);
    return html`<button class="own-seat" data-is="own-seat" data-colour=${own?.colour ?? nothing} aria-expanded=${this.open} @click=${() => (this.open = !this.open)}>
      ${own === undefined ? nothing : symbol(own.sign)}<span>${seat === null ? word("phone_choose_seat") : [seat.board, own?.name].filter(Boolean).join(" · ")}</span></button>`;
  }

  /**
   * The sheet in which it is chosen; nothing while it is shut.
   * @param {Pick<Api.Picture, "rules" | "seats"> | null} picture
   */
  sheet(picture) {
    return this.open ? seatSheet(this, picture) : nothing;
  }

  /** @param {Seat | null} seat */
  keep(seat) {
    this.seat = seat;
    if (seat === null) this.#forget();
    else localStorage.setItem(SEAT, JSON.stringify(seat));
    this.open = false;
  }

  #forget() {
    localStorage.removeItem(SEAT);
    if (this.code === null) return;
    localStorage.removeItem(CODE);
    location.reload();
  }
}
