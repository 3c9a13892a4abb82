// A screen of the hall that the director knows by name: it says who it is and does what it is told. Pages work without.
// It is one when its address asks for that (`?screen`, with a name: `?screen=Left`), or when it was admitted before.

import { socketAddress } from "./feed.js";

/**
 * @typedef {{ name: string | null, code: string | null, key?: string, blackout: boolean, clock_offset_ms: number | null }} State
 * @typedef {{ screen?: State, do?: "identify" | "rename" | "page" | "reload" | "blackout", seconds?: number, name?: string, page?: string, on?: boolean }} Told
 */

const SAYS_EVERY_MS = 5_000;
const RETRY_MS = 1_000;
const WAITS_MS = 10_000; // a stranger for whom there was no place
const TAKEN_OVER = 4409;
const FORGOTTEN = 4403;

const asked = new URLSearchParams(location.search).get("screen");
const KEPT = `screen:${asked ?? ""}`; // several screens of one browser have a name each in their addresses

/** The page as the director reads it: without what only this screen needs. */
function ownPage() {
  const layout = new URLSearchParams(location.search).get("layout");
  return location.pathname + (layout === null ? "" : `?layout=${layout}`);
}

/**
 * The address of a page, with what this one's own says of screen, theme and language.
 * @param {string} page
 */
function addressOf(page) {
  const [here, there] = [new URLSearchParams(location.search), new URL(page, location.href)];
  for (const name of ["screen", "theme", "lang"]) {
    const value = here.get(name);
    if (value !== null) there.searchParams.set(name, value);
  }
  return there;
}

export class ScreenLink {
  name = "";
  code = ""; // while the director has not admitted it
  blackout = false;
  /** @type {number | null} */
  offsetMs = null;
  #namedUntil = 0;
  /** @type {WebSocket | null} */
  #socket = null;

  /** `onChange()` when something has changed that a page shows. Nothing happens on a page that is no screen. */
  constructor(onChange = () => {}) {
    this.onChange = onChange;
    if (!this.isScreen) return;
    this.#connect();
    setInterval(() => this.#say(), SAYS_EVERY_MS);
  }

  get isScreen() {
    return asked !== null || localStorage.getItem(KEPT) !== null;
  }

  /** Whether it was asked to show its name just now. */
  get showsName() {
    return performance.now() < this.#namedUntil;
  }

  /**
   * This path with what shows that this screen was admitted: it has a place when strangers have all others.
   * @param {string} path
   */
  keyed(path) {
    const key = localStorage.getItem(KEPT);
    return key === null ? path : `${path}?key=${encodeURIComponent(key)}`;
  }

  #connect() {
    const socket = new WebSocket(socketAddress(this.keyed("/api/screen")));
    let heard = false;
    this.#socket = socket;
    socket.onopen = () => this.#say();
    socket.onmessage = (event) => {
      heard = true;
      this.#take(JSON.parse(event.data));
    };
    socket.onclose = ({ code }) => this.#closed(code, heard);
  }

  /**
   * @param {number} code
   * @param {boolean} heard
   */
  #closed(code, heard) {
    [this.#socket, this.code] = [null, ""];
    if (code === FORGOTTEN) {
      localStorage.removeItem(KEPT);
      [this.name, this.blackout, this.offsetMs] = ["", false, null];
    }
    this.onChange();
    if (code !== TAKEN_OVER && this.isScreen) setTimeout(() => this.#connect(), heard ? RETRY_MS : WAITS_MS);
  }

  #say() {
    if (this.#socket?.readyState !== WebSocket.OPEN) return;
    const name = this.name || asked || null;
    this.#socket.send(JSON.stringify({ name, page: ownPage(), size: [innerWidth, innerHeight], clock_ms: Date.now() }));
  }

  /** @param {Told} told */
  #take(told) {
    if (told.screen !== undefined) this.#stand(told.screen);
    switch (told.do) {
      case "identify":
        this.#namedUntil = performance.now() + (told.seconds ?? 0) * 1_000;
        break;
      case "rename":
        this.name = told.name ?? this.name;
        break;
      case "blackout":
        this.blackout = told.on === true;
        break;
      case "page":
        return location.assign(addressOf(told.page ?? "/"));
      case "reload":
        return location.reload();
    }
    this.onChange();
  }

  /** @param {State} state */
  #stand({ name, code, key, blackout, clock_offset_ms }) {
    if (key !== undefined) localStorage.setItem(KEPT, key);
    [this.name, this.code, this.blackout, this.offsetMs] = [name ?? "", code ?? "", blackout, clock_offset_ms];
  }
}
