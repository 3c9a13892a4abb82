// The one control that is always under the thumb: Start, Pause or Resume; at one table the turn, with Pause below it. The space key only ever pauses, and is never deaf. A button
// that has just become something other than Pause is: the second click of two never takes back what the first has done, and who
// meant Resume while another has resumed freezes nothing. Beside it, over the cards, the newest answer that is not "accepted", and
// without connection why only Pause is left.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { reasons } from "../components/reasons.js";
import { symbol } from "../components/symbol.js";
import { sceneOf } from "../reading.js";
import { seatOf } from "../seats.js";
import { word } from "../words.js";

/**
 * @import { Scene } from "../reading.js"
 * @import { WordKey } from "../words.js"
 * @import { Entry } from "./commander.js"
 * @import { Desk } from "./desk.js"
 * @typedef {{ name: "pause" | "resume" | "start" | "turn" | null, label: WordKey, icon: string, body?: Api.TurnBody, side?: string, colour?: string }} Mode
 */

/** @satisfies {Record<string, Mode>} */
const MODES = {
  ready: { name: "start", label: "start", icon: "play" },
  play: { name: "pause", label: "pause", icon: "pause" },
  countin: { name: "pause", label: "freeze_again", icon: "pause" },
  pause: { name: "resume", label: "resume", icon: "play" },
  collecting: { name: null, label: "collecting", icon: "wreath" },
  ended: { name: null, label: "game_over", icon: "wreath" },
};
const DEAF_MS = 1_000;
/** @type {Mode} */
const PAUSE = { name: "pause", label: "pause", icon: "pause" };

/**
 * What the button of the turn does for who acts, or for the next one where nobody does; null where it is no turn.
 * @param {Api.Picture} picture
 * @returns {Mode | null}
 */
function turnMode(picture) {
  const { next_seat: next, phase, seat, seats, turn } = picture;
  if (turn === null || sceneOf(picture) !== "play") return null;
  const id = seats[seat ?? next ?? 0]?.id ?? "";
  const { colour, name: side, sign: icon } = seatOf(picture, id);
  const label = phase === "founding" ? "turn_placed" : turn?.building ? "turn_go_on" : turn?.to_roll ? "turn_roll_for" : "turn_end_of";
  return { name: "turn", label, icon, body: { seat: id }, side, colour };
}

/** @param {Desk} desk */
export function primary(desk) {
  let waiting = false;
  /** @type {string | undefined} */
  let before; // what it says; undefined until the first picture or the first click
  let deafUntil = -Infinity; // on the clock of performance.now()
  /** @returns {Mode} */
  const mode = () => (desk.state === "fresh" && desk.picture !== null ? (turnMode(desk.picture) ?? MODES[sceneOf(desk.picture)]) : PAUSE);
  const says = () => [mode().label, mode().side].filter(Boolean).join(" ");
  /** Whether start or resume is refused, which the gate or the answer says why; or another one directs. */
  const refused = () => (["start", "resume"].includes(mode().name ?? "") && desk.picture?.allowed[mode().name ?? ""] != null) || watches();
  const watches = () => (desk.directing.watching || desk.follows) && mode().name !== "pause";

  const deaf = () => before !== "pause" && performance.now() < deafUntil;

  /** @param {string} label */
  function follow(label) {
    if (label === before || (before === undefined && desk.state !== "fresh")) return;
    if (before !== undefined && label !== "pause") {
      deafUntil = performance.now() + DEAF_MS;
      setTimeout(desk.redraw, DEAF_MS);
    }
    before = label;
  }

  function click() {
    follow(says());
    if (!deaf()) give();
  }

  async function give({ name, body } = mode()) {
    if (name === null) return;
    before ??= says();
    waiting = true;
    await desk.send(name, body);
    waiting = false;
    desk.redraw();
  }

  /** @param {KeyboardEvent} event */
  function pauseBySpace(event) {
    if (event.code !== "Space" || isTyping(event.target)) return;
    event.preventDefault();
    if (!event.repeat && ["pause", "turn"].includes(mode().name ?? "")) give(PAUSE);
  }

  document.addEventListener("keydown", pauseBySpace);
  document.addEventListener("keyup", (event) => {
    if (event.code === "Space" && !isTyping(event.target)) event.preventDefault();
  });

  return () => {
    const { name, label, icon, side, colour } = mode();
    follow(says());
    const said = /** @type {(key: WordKey, params: { side: string }) => string} */ (word);
    return html`<button type="button" class="big ${waiting ? "waiting" : ""} ${refused() ? "gated" : ""}" data-is="primary" data-mode=${name ?? "none"} data-colour=${colour ?? nothing} aria-disabled=${deaf() ? "true" : nothing} ?disabled=${name === null || watches()} @click=${click}>
        ${symbol(icon)}<span>${said(label, { side: side ?? "" })}</span><kbd ?hidden=${name !== "pause"}>${word("key_space")}</kbd></button>
      ${name === "turn" ? html`<button type="button" data-is="pause" @click=${() => give(PAUSE)}>${symbol("pause")}<span>${word("pause")}</span></button>` : nothing}`;
  };
}

/** @param {EventTarget | null} target */
const isTyping = (target) => target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement;

/**
 * `tell(entry)` for each change of the newest command's entry, `draw()` what is left to be said of it: a refusal goes away
 * with the scene in which it was given.
 * @param {Desk} desk
 */
export function answerBox(desk) {
  /** @type {Entry | null} */
  let entry = null;
  /** @type {Scene | null} */
  let saidIn = null;
  const scene = () => (desk.picture === null ? null : sceneOf(desk.picture));

  /** What was refused but would be done in spite of the reasons. */
  function overridable() {
    const name = entry?.status === "refused" || entry?.status === "failed" ? entry.name : null;
    return name === "resume" && desk.picture?.allowed[name]?.override === true ? name : null;
  }

  function close() {
    entry = null;
    desk.redraw();
  }

  return {
    /** @param {Entry} newest */
    tell(newest) {
      [entry, saidIn] = [newest, scene()];
    },
    draw() {
      if (saidIn !== scene()) entry = null;
      const said = entry === null || entry.status === "accepted" || entry.status === "pending" ? null : entry;
      if (desk.lostWhy.length > 0) {
        const pause = said?.name === "pause" ? said.reasons : [];
        return html`<div class="answer" role="alert">${reasons([...desk.lostWhy, ...pause], { is: "lost-why" })}</div>`;
      }
      if (said === null) return nothing;
      const name = overridable();
      return html`<div class="answer" role="alert">
        ${reasons(said.reasons, { is: "answer-text" })}
        <button type="button" class="plain" aria-label=${word("close")} @click=${close}>×</button>
        ${name === null ? nothing : html`<button type="button" data-is="resume-override" @click=${() => desk.send(name, { override: true })}>${word("override")}</button>`}
      </div>`;
    },
  };
}
