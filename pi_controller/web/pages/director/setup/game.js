// Arming a new game, which asks after an end: its result goes from all screens. A rehearsal is marked as one everywhere.

import { html, nothing } from "../../vendor/lit-html/lit-html.js";
import { options } from "../../components/list.js";
import { part } from "../../dom.js";
import { inTurns } from "../../reading.js";
import { allSeats } from "../../seats.js";
import { word } from "../../words.js";
import { Asking } from "../asking.js";
import { seatsForm } from "./seats.js";

/**
 * @import { Desk } from "../desk.js"
 * @import { ScheduleCard } from "./schedule.js"
 */

const RULE_SETS = /** @type {const} */ (["default", "connect", "classic"]);

/**
 * Who may begin: as the settings say, one of the seats, or by lot.
 * @param {Api.Picture | null} picture
 * @returns {[value: string, text: string][]}
 */
function firstSides(picture) {
  const rolled = /** @type {[string, string][]} */ (inTurns(picture) ? [["highest", word("seats_highest")]] : []);
  return [["default", word("side_default")], ...rolled, ...allSeats(picture).map(({ id, name }) => /** @type {[string, string]} */ ([id, name])), ["drawn", word("side_drawn")]];
}

/**
 * @param {Desk} desk
 * @param {ScheduleCard} schedule
 */
export function gameCard(desk, schedule) {
  /** @type {Asking<"arm">} */
  const asking = new Asking(desk);
  const seats = seatsForm(desk);
  const chosen = { schedule: false, rehearsal: false };

  function arm() {
    const [rules, first] = [part("rule-set").value, part("first-side").value];
    const seated = inTurns(desk.picture) && ["default", desk.picture?.rule_set].includes(rules);
    /** @type {Api.ArmBody} */
    const body = seated ? seats.said() : {};
    if (rules !== "default") body.rule_set = rules;
    if (first !== "default") body.first_side = /** @type {Api.ArmBody["first_side"]} */ (first);
    if (chosen.rehearsal) body.rehearsal = true;
    if (!chosen.schedule) return desk.send("arm", body);
    return schedule.use((steps) => desk.send("arm", { ...body, schedule: steps }));
  }

  /** @param {keyof typeof chosen} what */
  function toggle(what) {
    chosen[what] = !chosen[what];
    desk.redraw();
  }

  return () => {
    const turns = inTurns(desk.picture);
    const ended = desk.picture?.phase === "ended";
    return html`<section class="card">
      <h2>${word("game_title")}</h2>
      ${turns && desk.picture !== null && desk.picture.allowed.arm == null ? seats.draw(desk.picture) : nothing}
      <div class="fields">
        <label><span>${word("rule_set")}</span><select data-is="rule-set">${options(RULE_SETS.map((name) => [name, word(`rule_${name}`)]))}</select></label>
        <label><span>${word("first_side")}</span><select data-is="first-side">${options(firstSides(desk.picture))}</select></label>
        <button type="button" class="toggle" data-is="arm-schedule" ?hidden=${turns} aria-pressed=${chosen.schedule} @click=${() => toggle("schedule")}>${word("arm_schedule")}</button>
        <button type="button" class="toggle" data-is="arm-rehearsal" aria-pressed=${chosen.rehearsal} @click=${() => toggle("rehearsal")}>${word("arm_rehearsal")}</button>
        ${desk.button("arm", word("arm"), () => (ended ? asking.ask("arm") : arm()), { is: "arm" })}
      </div>
      ${asking.draw("arm", { possible: ended, question: word("arm_sure"), yes: word("arm_now"), act: arm })}
      ${desk.against("arm")}
    </section>`;
  };
}
