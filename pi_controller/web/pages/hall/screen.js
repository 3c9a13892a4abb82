// A screen of the hall that the director knows by name, and what stands on it in place of the game.

import { html, render } from "../vendor/lit-html/lit-html.js";
import { make, redraw, setData, setText, show } from "../lib/dom.js";
import { socketAddress } from "../lib/feed.js";
import { word } from "../lib/words.js";

// A screen of the hall that the director knows by name: it says who it is and does what it is told. Pages work without.
// It is one when its address asks for that (`?screen`, with a name: `?screen=Left`), or when it was admitted before.

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

  /** Nothing happens on a page that is no screen. */
  constructor() {
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
    redraw();
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
    redraw();
  }

  /** @param {State} state */
  #stand({ name, code, key, blackout, clock_offset_ms }) {
    if (key !== undefined) localStorage.setItem(KEPT, key);
    [this.name, this.code, this.blackout, this.offsetMs] = [name ?? "", code ?? "", blackout, clock_offset_ms];
  }
}

// The name of this screen, or its code while the director has not admitted it.

/** @param {ScreenLink} screen */
export function screenName(screen) {
  const [code, name] = [make("p", "screen-code"), make("p", "screen-name")];
  document.body.append(code, make("div", "screen-name-box", [name]));
  return {
    /**
     * @param {Api.Picture | null} picture
     * @param {number | null} coreNow
     */
    frame(picture, coreNow) {
      show(code, screen.code !== "");
      setText(code, screen.code === "" ? "" : word("screen_code", { code: screen.code }));
      const identify = picture?.identify ?? null;
      const meant = identify !== null && coreNow !== null && coreNow < identify.until_ms && identify.screen?.toLowerCase() === screen.name.toLowerCase();
      const named = screen.name !== "" && (screen.showsName || meant);
      document.body.classList.toggle("names-itself", named);
      setText(name, named ? screen.name : "");
    },
  };
}

// What stands on a screen in place of the game: black, or a picture to set screens up by. The game goes on under it.

const LETTERS = [4, 6, 9, 13]; // per cent of the height: the least that stands on the hall screen, and larger ones
const SAMPLE = "A7";
const GREYS = 11;
const STEPS = 4; // places of the mark on a black screen, one a second: on a frozen picture it stands still
const MS_PER_S = 1_000;

/** @param {ScreenLink} screen */
function testPicture({ name, offsetMs }) {
  const facts = [word("test_size", { width: innerWidth, height: innerHeight }), `× ${devicePixelRatio}`];
  if (offsetMs !== null) facts.push(word("test_offset", { ms: Math.round(offsetMs) }));
  return html`<svg class="test-lines" viewBox="-160 -90 320 180" preserveAspectRatio="none" aria-hidden="true"><path class="test-cross" d="M-160 0H160M0-90V90M-160-90L160 90M-160 90L160-90"></path></svg>
    <div class="test-circle"></div><div class="test-centre"></div><div class="test-edge"></div><div class="test-safe"></div>
    <div class="test-head"><h1 class="test-name">${name === "" ? word("screen_unnamed") : name}</h1><p class="test-facts">${facts.join(" · ")}</p></div>
    <div class="test-letters">${LETTERS.map((percent) => html`<p class="test-size" .style=${`--size: ${percent}`}><span class="test-sample">${SAMPLE}</span><span class="test-share">${word("per_cent", { percent })}</span></p>`)}</div>
    <div class="test-colours">${["amber", "blue", "green"].map((colour) => html`<i class="test-${colour}"></i>`)}</div>
    <div class="test-greys">${Array.from({ length: GREYS }, (_, step) => html`<i .style=${`--light: ${(step * 100) / (GREYS - 1)}%`}></i>`)}</div>`;
}

/**
 * Covers of a page as the picture says, or as this screen alone was told; `frame` is called with each frame, whether there are
 * news or not.
 * @param {ScreenLink} screen
 */
export function screenCover(screen) {
  /** @type {Api.Picture["cover"]} */
  let ofAll = "none";
  const mark = make("i", "alive");
  const test = make("div", "test-picture");
  document.body.append(make("div", "blackout", [mark]), test);
  return {
    /** @param {Api.Picture} picture */
    take({ cover }) {
      ofAll = cover;
    },
    /**
     * @param {number | null} coreNow
     * @param {boolean} fresh
     */
    frame(coreNow, fresh) {
      const cover = screen.blackout ? "black" : ofAll;
      setData(document.body, "cover", cover);
      if (cover === "test") render(testPicture(screen), test);
      if (cover !== "black") return;
      setData(mark, "fresh", String(fresh));
      if (fresh && coreNow !== null) setData(mark, "step", String(Math.floor(coreNow / MS_PER_S) % STEPS));
    },
  };
}
