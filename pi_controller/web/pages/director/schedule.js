// The round times: from which round on a round lasts how long.

import { html } from "../vendor/lit-html/lit-html.js";
import { repeat } from "../vendor/lit-html/directives/repeat.js";
import { part } from "../dom.js";
import { word } from "../words.js";

/**
 * @import { WordKey } from "../words.js"
 * @import { Desk } from "./desk.js"
 * @typedef {ReturnType<typeof scheduleCard>} ScheduleCard
 */

const LONGEST_S = 3_600;

/**
 * The key of a sentence that says what is wrong with these steps, or null.
 * @param {Api.StepBody[]} steps
 */
function scheduleMistake(steps) {
  if (steps[0]?.from_round !== 1) return "schedule_first";
  if (steps.some((step, index) => index > 0 && !(step.from_round > (steps[index - 1]?.from_round ?? 0)))) return "schedule_order";
  if (steps.some((step) => !(step.seconds >= 1 && step.seconds <= LONGEST_S))) return "schedule_seconds";
  return null;
}

/**
 * `look` is also the field of a step that it holds.
 * @param {"from" | "seconds"} look
 * @param {WordKey} label
 * @param {number} value
 */
function numberField(look, label, value) {
  return html`<label><span>${word(label)}</span><input class=${look} type="number" min="1" inputmode="decimal" value=${value}></label>`;
}

/** @param {Desk} desk */
export function scheduleCard(desk) {
  let inForce = "";
  /** @type {Api.StepBody[]} */
  let lines = []; // what each line began with; what it is now stands in its fields
  /** @type {WordKey | null} */
  let mistake = null;

  function steps() {
    return [...part("steps").children].map((row) => {
      const [from, seconds] = [...row.querySelectorAll("input")].map((input) => Number(input.value));
      return { from_round: Math.trunc(from ?? NaN), seconds: seconds ?? NaN };
    });
  }

  /** @param {Api.StepBody[]} changed */
  function setLines(changed) {
    lines = changed;
    desk.redraw();
  }

  function addLine() {
    const last = steps().at(-1);
    if (last !== undefined) setLines([...lines, { from_round: last.from_round + 10, seconds: last.seconds }]);
  }

  /**
   * Hands on the steps, or shows what is wrong with them.
   * @param {(steps: Api.StepBody[]) => void} act
   */
  function use(act) {
    mistake = scheduleMistake(steps());
    if (mistake === null) act(steps());
    desk.redraw();
  }

  /** The times in force take the place of what is being written only when they have changed. */
  function takeTimes() {
    const schedule = desk.picture?.schedule ?? [];
    const now = JSON.stringify(schedule);
    if (now === inForce) return;
    [inForce, lines, mistake] = [now, schedule.map((step) => ({ ...step })), null];
  }

  /** @param {Api.StepBody} step */
  const line = (step) => html`<li class="step">${numberField("from", "from_round", step.from_round)}${numberField("seconds", "lasts", step.seconds)}
    <button type="button" class="plain" aria-label=${word("remove_row")} @click=${() => lines.length > 1 && setLines(lines.filter((each) => each !== step))}>×</button></li>`;

  return {
    use,
    draw() {
      takeTimes();
      return html`<section class="card">
        <h2>${word("schedule_title")}</h2>
        <p class="hint">${word("schedule_help")}</p>
        <ol class="steps" data-is="steps">${repeat(lines, (step) => step, line)}</ol>
        <div class="row">
          <button type="button" data-is="add-step" @click=${addLine}>${word("add_row")}</button>
          ${desk.button("set_schedule", word("set_schedule"), () => use((now) => desk.send("set_schedule", now)), { is: "set-schedule" })}
        </div>
        <p class="mistake" data-is="schedule-mistake" role="alert">${mistake === null ? "" : word(mistake)}</p>
        ${desk.against("set_schedule")}
      </section>`;
    },
  };
}
