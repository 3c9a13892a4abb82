// Ending a game and closing an ended one, which take two touches each, and arming a new one, which does after an end: its
// result goes from all screens.

import { html } from "../vendor/lit-html/lit-html.js";
import { options } from "../components/list.js";
import { part } from "../dom.js";
import { allSeats } from "../seats.js";
import { word } from "../words.js";

/**
 * @import { Desk } from "./desk.js"
 * @import { ScheduleCard } from "./schedule.js"
 */

const SURE_FOR_MS = 15_000;
const RULE_SETS = /** @type {const} */ (["default", "connect"]);

/**
 * Who may begin: as the settings say, one of the seats, or by lot.
 * @param {Api.Picture | null} picture
 * @returns {[value: string, text: string][]}
 */
function firstSides(picture) {
  return [["default", word("side_default")], ...allSeats(picture).map(({ id, name }) => /** @type {[string, string]} */ ([id, name])), ["drawn", word("side_drawn")]];
}

/**
 * Whether the end can still be undone, and until when.
 * @param {Desk} desk
 */
function closedText({ picture }) {
  if (picture === null || picture.phase !== "ended") return "";
  if (picture.closed) return word("closed");
  if (picture.closes_at_ms === null) return word("not_closed");
  return word("closes_by_itself", { count: Math.max(1, Math.ceil((picture.closes_at_ms - picture.as_of_ms) / 60_000)) });
}

/**
 * @param {Desk} desk
 * @param {ScheduleCard} schedule
 */
export function gameCard(desk, schedule) {
  /** @type {"end" | "close" | "arm" | null} */
  let asking = null;
  let withSchedule = false;
  /** @type {number | undefined} */
  let unasked;

  /** @param {typeof asking} what */
  function ask(what) {
    asking = what;
    desk.redraw();
    clearTimeout(unasked);
    if (what === null) return;
    part(`${what}-cancel`).focus();
    unasked = setTimeout(() => ask(null), SURE_FOR_MS);
  }

  /** @param {"end" | "close"} what */
  function confirm(what) {
    ask(null);
    desk.send(what, { confirm: true });
  }

  const ended = () => desk.picture?.phase === "ended";
  const open = () => ended() && desk.picture?.closed === false;

  function arm() {
    ask(null);
    /** @type {Api.ArmBody} */
    const body = {};
    const [rules, first] = [part("rule-set").value, part("first-side").value];
    if (rules !== "default") body.rule_set = rules;
    if (first !== "default") body.first_side = /** @type {Api.ArmBody["first_side"]} */ (first);
    if (!withSchedule) return desk.send("arm", body);
    return schedule.use((steps) => desk.send("arm", { ...body, schedule: steps }));
  }

  function toggleSchedule() {
    withSchedule = !withSchedule;
    desk.redraw();
  }

  return () => html`<section class="card">
    <h2>${word("end_title")}</h2>
    <div class="row" ?hidden=${ended()}>${desk.button("end", word("end"), () => ask("end"), { is: "end" })}</div>
    <div class="sure" data-is="end-sure" ?hidden=${asking !== "end" || ended()}>
      <p>${word("end_sure")}</p>
      ${desk.button("end", word("end_now"), () => confirm("end"), { is: "end-now", look: "danger" })}
      <button type="button" data-is="end-cancel" @click=${() => ask(null)}>${word("cancel")}</button>
    </div>
    <p class="hint" data-is="closed-or-not" ?hidden=${!ended()}>${closedText(desk)}</p>
    <div class="row" ?hidden=${!open()}>${desk.button("close", word("close_game"), () => ask("close"), { is: "close" })}</div>
    <div class="sure" data-is="close-sure" ?hidden=${asking !== "close" || !open()}>
      <p>${word("close_sure")}</p>
      ${desk.button("close", word("close_now"), () => confirm("close"), { is: "close-now", look: "danger" })}
      <button type="button" data-is="close-cancel" @click=${() => ask(null)}>${word("cancel")}</button>
    </div>
    <div class="fields">
      <label><span>${word("rule_set")}</span><select data-is="rule-set">${options(RULE_SETS.map((name) => [name, word(`rule_${name}`)]))}</select></label>
      <label><span>${word("first_side")}</span><select data-is="first-side">${options(firstSides(desk.picture))}</select></label>
      <button type="button" class="toggle" data-is="arm-schedule" aria-pressed=${withSchedule} @click=${toggleSchedule}>${word("arm_schedule")}</button>
      ${desk.button("arm", word("arm"), () => (desk.picture?.phase === "ended" ? ask("arm") : arm()), { is: "arm" })}
    </div>
    <div class="sure" data-is="arm-sure" ?hidden=${asking !== "arm" || desk.picture?.phase !== "ended"}>
      <p>${word("arm_sure")}</p>
      ${desk.button("arm", word("arm_now"), arm, { is: "arm-now", look: "danger" })}
      <button type="button" data-is="arm-cancel" @click=${() => ask(null)}>${word("cancel")}</button>
    </div>
    ${desk.against("end", "arm")}
  </section>`;
}
