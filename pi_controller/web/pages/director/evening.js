// The first evening on a controller: five questions before the start, from what is played to where people look. Each answer counts at once; the
// game that is armed can be started all along.

import { repeat } from "../vendor/lit-html/directives/repeat.js";
import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { once, ownName, qrCode, symbol } from "../lib/components.js";
import { redraw } from "../lib/dom.js";
import { answerOf, jsonOf, postJson } from "../lib/feed.js";
import { inTurns } from "../lib/reading.js";
import { nameOf } from "../lib/seats.js";
import { changeSettings, settingsNow } from "../lib/settings_card.js";
import { spokenLanguage, wayTo, word } from "../lib/words.js";

/**
 * @import { Desk } from "../lib/desk.js"
 * @import { TablesHub } from "../lib/hall_map.js"
 */

/**
 * @typedef {(typeof STEPS)[number]} Step
 * @typedef {(typeof CLAIMING)[number]} Claiming
 * @typedef {{ title: string, answer: string, draw: () => unknown }} Question
 */

const STEPS = /** @type {const} */ (["play", "boards", "claims", "speech", "look"]);
const ONE_TABLE = /** @type {Step[]} */ (["play", "speech", "look"]); // its seats are no boards
const CLAIMING = /** @type {const} */ (["phones", "tables", "voice"]);
const USUAL = { rows: 1, each: 5 };
const MOST = { rows: 26, each: 99 };
const LETTERS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
const [LANGUAGES, VOICE, SEAT_CODES] = ["hall.languages", "sound.voice", "tables.seat_codes"];
const [STEP, LATER, WHO] = ["evening-step", "evening-later", "evening-claims"]; // what this browser remembers

/** Whether only this computer can open that address. @param {string} address */
const isHere = (address) => /^(localhost|127\..*|\[::1\])$/.test(new URL(address).hostname);

// Boards in rows: a row and a board that are there stay as they are.

/**
 * @param {Api.Row[]} before
 * @param {{ rows: number, each: number }} wanted
 */
function rowsOf(before, { rows, each }) {
  const names = before.map(({ name }) => name);
  for (const letter of LETTERS) if (!names.includes(letter)) names.push(letter);
  return names.slice(0, rows).map((name, at) => {
    const { boards = [], ...row } = before[at] ?? { name, shape: /** @type {const} */ ("straight"), angle: 0 };
    return { ...row, boards: Array.from({ length: each }, (_, place) => boards[place] ?? { name: `${name}${place + 1}`, node: null, swapped: false }) };
  });
}

/**
 * @param {Desk} desk
 * @param {TablesHub} hub
 */
export function eveningCard(desk, hub) {
  let game = ""; // in whose `ready` it was last asked whether this is a first evening
  let first = false;
  /** @type {Selftest.SettingView[]} */
  let settings = [];
  /** @type {Selftest.Join | null} */
  let join = null;
  /** @type {Selftest.SeatCode[]} */
  let codes = [];
  /** @type {{ rows: number, each: number } | null} */
  let wanted = null;
  /** @type {string[] | null} */
  let languages = null;
  /** @type {boolean | null} */
  let voice = null;
  let problem = "";

  /** @param {Api.Picture} picture */
  async function look({ game_id: id }) {
    game = id;
    /** @type {Api.Game[] | null} */
    const games = (await jsonOf("/api/games"))?.games ?? null;
    first = games?.some(({ ended }) => ended) === false;
    if (first) await Promise.all([loadSettings(), stepNow() === "look" ? loadWays() : null]);
    redraw();
  }

  async function loadSettings() {
    settings = (await settingsNow()).answer?.settings ?? settings;
  }

  const setting = (/** @type {string} */ key) => settings.find((each) => each.key === key);
  const steps = () => (inTurns(desk.picture) ? ONE_TABLE : STEPS);

  /** @returns {Step} */
  const stepNow = () => steps().find((step) => step === localStorage.getItem(STEP)) ?? "play";

  /** @param {Step | undefined} step */
  async function go(step) {
    localStorage.setItem(STEP, step ?? "look");
    problem = "";
    if (step === "look") await loadWays();
    redraw();
    document.querySelector(".evening .evening-step")?.parentElement?.scrollIntoView({ block: "nearest" });
  }

  const next = () => go(steps()[steps().indexOf(stepNow()) + 1]);

  /**
   * Saves what differs, which counts at once; resolves with whether it does.
   * @param {{ key: string, value: unknown }[]} changes
   */
  async function save(changes) {
    const differing = changes.filter(({ key, value }) => JSON.stringify(setting(key)?.value) !== JSON.stringify(value));
    const said = differing.length > 0 ? await changeSettings(differing) : { problem: "" };
    problem = said.problem;
    if (problem === "") await loadSettings();
    return problem === "";
  }

  // What is played.

  /** @param {"classic" | "connect"} name */
  async function play(name) {
    const { status, reasons } = desk.picture?.rule_set === name ? { status: "accepted", reasons: [] } : await desk.send("arm", { rule_set: name });
    problem = reasons.join(" ");
    if (status === "accepted") await next();
  }

  /**
   * @param {string} text
   * @param {boolean} pressed
   * @param {() => Promise<unknown>} act
   */
  const choice = (text, pressed, act) => html`<button type="button" aria-pressed=${pressed} @click=${once(act)}>${text}</button>`;

  const playing = () => html`<div class="evening-choices">${choice(word("evening_hall"), !inTurns(desk.picture), () => play("connect"))}${choice(word("evening_table"), inTurns(desk.picture), () => play("classic"))}</div>`;

  // Which boards there are.

  /** @returns {{ rows: number, each: number }} */
  function boards() {
    const rows = hub.roster?.rows ?? [];
    return wanted ?? (rows.length === 0 ? USUAL : { rows: rows.length, each: Math.max(1, ...rows.map((row) => row.boards.length)) });
  }

  /** How many boards there will be: a roster that nobody changes stays, whatever its rows are like. */
  const countBoards = () => (wanted === null && hub.boards.length > 0 ? hub.boards.length : boards().rows * boards().each);

  async function setRoster() {
    const rows = hub.roster?.rows ?? [];
    if (wanted === null && rows.length > 0) return next();
    /** @type {Api.Roster} */
    const roster = { version: 1, rows: rowsOf(rows, boards()) };
    const { status, reasons } = await postJson("/api/roster", roster, { unanswered: word("action_failed") });
    problem = reasons.join(" ");
    if (status !== "accepted") return;
    wanted = null;
    hub.takeRoster(roster);
    await next();
  }

  /**
   * @param {"rows" | "each"} name
   * @param {string} what
   */
  function stepper(name, what) {
    const value = boards()[name];
    const set = (/** @type {number} */ by) => (wanted = { ...boards(), [name]: value + by });
    return html`<div class="stepper"><span class="stepper-name">${what}</span>
      <button type="button" aria-label=${word("fewer", { what })} ?disabled=${value <= 1} @click=${() => set(-1)}>−</button><output>${value}</output>
      <button type="button" aria-label=${word("more", { what })} ?disabled=${value >= MOST[name]} @click=${() => set(1)}>+</button></div>`;
  }

  function lost() {
    const kept = new Set(rowsOf(hub.roster?.rows ?? [], boards()).flatMap((row) => row.boards.map(({ node }) => node)));
    const count = wanted === null ? 0 : hub.boards.filter(({ uid }) => uid !== null && !kept.has(uid)).length;
    return count === 0 ? nothing : html`<p class="warn">${word("roster_loses", { count })}</p>`;
  }

  const boarding = () => html`${stepper("rows", word("evening_rows"))}${stepper("each", word("evening_each"))}${lost()}
    <div class="evening-choices">${choice(word("evening_boards_go", { number: countBoards() }), true, setRoster)}</div>`;

  // Who claims.

  /** @returns {Claiming} */
  function claiming() {
    if (setting(SEAT_CODES)?.value === true) return "phones";
    const fitted = hub.boards.some(({ uid }) => uid !== null) ? "tables" : "phones";
    return CLAIMING.find((who) => who === localStorage.getItem(WHO)) ?? fitted;
  }

  /** @param {Claiming} who */
  async function setClaiming(who) {
    localStorage.setItem(WHO, who);
    if (await save([{ key: SEAT_CODES, value: who === "phones" }])) await next();
  }

  const asking = () => html`<div class="evening-choices">${CLAIMING.map((who) => choice(word(`evening_by_${who}`), claiming() === who, () => setClaiming(who)))}</div>`;

  // Languages of the hall, and the voice where there is a loudspeaker.

  /** @returns {string[]} */
  function spoken() {
    const known = setting(LANGUAGES);
    if (languages !== null) return languages;
    return known === undefined || known.source === "default" ? [spokenLanguage()] : /** @type {string[]} */ (known.value);
  }

  /** The first one, and one in turn with it. @param {string} tag */
  function toggle(tag) {
    const now = spoken();
    if (!now.includes(tag)) languages = [now[0] ?? tag, tag];
    else if (now.length > 1) languages = now.filter((each) => each !== tag);
  }

  const speaks = () => voice ?? setting(VOICE)?.value === true;

  async function setSpeech() {
    const sound = desk.picture?.sound == null ? [] : [{ key: VOICE, value: speaks() }];
    if (await save([{ key: LANGUAGES, value: spoken() }, ...sound])) await next();
  }

  const speaking = () => html`<p class="hint">${word("evening_languages_help")}</p>
    <div class="evening-choices small">${(setting(LANGUAGES)?.form.choices ?? []).map((tag) => html`<button type="button" class="toggle" lang=${tag} aria-pressed=${spoken().includes(tag)} @click=${() => toggle(tag)}>${ownName(tag)}</button>`)}</div>
    ${desk.picture?.sound == null ? nothing : html`<div class="evening-choices small"><button type="button" class="toggle" aria-pressed=${speaks()} @click=${() => (voice = !speaks())}>${word("setting_sound_voice")}</button></div>`}
    <div class="evening-choices">${choice(word("evening_all_right"), true, setSpeech)}</div>`;

  // Where people look: what a phone scans, the seat codes of one board at a time, and the sheets.

  async function loadWays() {
    join = await jsonOf("/api/join");
    await loadCodes(hub.boards[0]?.name ?? hub.roster?.rows[0]?.boards[0]?.name);
  }

  /** @param {string | undefined} board */
  async function loadCodes(board) {
    if (board === undefined || join?.seat_codes !== true || inTurns(desk.picture) || isHere(join.address)) codes = [];
    else {
      const { answer, problem: why } = await answerOf(`/api/seat-codes?board=${encodeURIComponent(board)}`);
      [codes, problem] = [answer?.seats ?? codes, why];
    }
  }

  /** @param {unknown} code @param {string} title @param {string} below */
  const scanned = (code, title, below = "") => html`<figure>${code}<figcaption><b>${title}</b>${below === "" ? nothing : html`<span>${below}</span>`}</figcaption></figure>`;

  function boardTurner() {
    const names = hub.boards.map(({ name }) => name);
    const at = names.indexOf(codes[0]?.board ?? "");
    const turn = (/** @type {number} */ by, /** @type {string} */ sign, /** @type {string} */ label) => html`<button type="button" aria-label=${label} ?disabled=${names[at + by] === undefined} @click=${once(() => loadCodes(names[at + by]))}>${sign}</button>`;
    return html`<div class="evening-board">${turn(-1, "‹", word("evening_board_before"))}<b>${word("evening_board", { board: codes[0]?.board ?? "", number: at + 1, all: names.length })}</b>${turn(1, "›", word("evening_board_after"))}</div>`;
  }

  function looking() {
    const { picture } = desk;
    if (join === null || picture === null) return nothing;
    if (isHere(join.address)) return html`<p class="warn" data-is="evening-here">${symbol("warning")}<span>${word(join.served ? "evening_no_network" : "evening_only_here")}</span></p>`;
    const picturesOf = (/** @type {string} */ name) => html`<img class="qr" src="/join/${name}.svg" alt="">`;
    const seats = repeat(codes, ({ address }) => address, ({ board, side, qr }) => scanned(qrCode(qr, `${board} ${nameOf(picture, side)}`), nameOf(picture, side)));
    return html`${codes.length > 0 ? boardTurner() : nothing}
      <div class="evening-codes" data-is="evening-codes">${seats}${join.wifi === null ? nothing : scanned(picturesOf("wifi"), word("join_wifi"), join.wifi)}${scanned(picturesOf("phone"), word("evening_clock"), shownAddress(join.address))}</div>
      ${codes.length === 0 ? nothing : html`<p class="past-ways"><a href=${wayTo("/api/seat-codes.pdf")} data-is="evening-sheets" download="seats.pdf">${word("evening_sheets")}</a></p>`}
      <p class="hint">${word("evening_start")}</p>`;
  }

  const shownAddress = (/** @type {string} */ address) => address.replace(/^https?:\/\//, "");

  /** @type {Record<Step, () => Question>} */
  const questions = {
    play: () => ({ title: word("evening_play"), answer: word(inTurns(desk.picture) ? "evening_table" : "evening_hall"), draw: playing }),
    boards: () => ({ title: word("evening_boards"), answer: String(countBoards()), draw: boarding }),
    claims: () => ({ title: word("evening_claims"), answer: word(`evening_by_${claiming()}`), draw: asking }),
    speech: () => ({ title: word("evening_speech"), answer: spoken().map(ownName).join(" · "), draw: speaking }),
    look: () => ({ title: word("evening_look"), answer: join === null ? "" : shownAddress(join.address), draw: looking }),
  };

  /** @param {Step} step @param {number} at */
  function line(step, at) {
    const { title, answer, draw } = questions[step]();
    const all = steps();
    const [open, done] = [stepNow() === step, at < all.indexOf(stepNow())];
    return html`<li data-done=${done}><button type="button" class="plain evening-line" data-is="evening-${step}" aria-expanded=${open} @click=${once(() => go(step))}>
      <span class="evening-number">${done ? "✓" : at + 1}</span><span>${title}</span><span class="evening-answer">${open && !done && step !== "look" ? "" : answer}</span></button>
      ${open ? html`<div class="evening-step">${draw()}<p class="mistake" role="alert">${problem}</p></div>` : nothing}</li>`;
  }

  const put = (/** @type {boolean} */ later) => localStorage.setItem(LATER, later ? "yes" : "");

  /** @param {Api.Picture} picture */
  function here(picture) {
    if (picture.phase !== "ready" || desk.directing.watching || desk.follows) return false;
    if (game !== picture.game_id) look(picture);
    return first && settings.length > 0;
  }

  const isLater = () => localStorage.getItem(LATER) === "yes";

  return {
    /** Whether it takes the place of what else stands on the stage before a game. @param {Api.Picture} picture */
    asks: (picture) => here(picture) && !isLater(),
    /** @param {Api.Picture} picture */
    draw(picture) {
      if (!here(picture)) return nothing;
      const title = html`<h2>${word("evening_title")}</h2>`;
      const fold = (/** @type {boolean} */ later, /** @type {string} */ text) => html`<button type="button" data-is="evening-${later ? "later" : "go-on"}" @click=${() => put(later)}>${text}</button>`;
      if (isLater()) return html`<section class="card evening"><div class="evening-top">${title}${fold(false, word("evening_go_on"))}</div></section>`;
      return html`<section class="card evening" data-is="evening"><div class="evening-top">${title}${fold(true, word("evening_later"))}</div>
        <ol>${steps().map(line)}</ol></section>`;
    },
  };
}
