// The round times: from which round on a round lasts how long.

import { html } from "../../vendor/lit-html/lit-html.js";
import { repeat } from "../../vendor/lit-html/directives/repeat.js";
import { part } from "../../dom.js";
import { numberText, word } from "../../words.js";

/**
 * @import { WordKey } from "../../words.js"
 * @import { Desk } from "../desk.js"
 * @typedef {ReturnType<typeof scheduleCard>} ScheduleCard
 */

const LONGEST_S = 3_600;
const USUAL_S = [10, 300]; // outside of these a round is probably a slip of the finger
const PRESETS = /** @type {const} */ ([["schedule_usual", 35, 45], ["schedule_quick", 25, 35], ["schedule_slow", 45, 60]]);
const LONGER_FROM = 11; // the round from which a 7 can come up

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
  /** @type {Api.StepBody[] | null} */
  let unusual = null; // steps that are set only when they are really meant

  function steps() {
    return [...part("steps").children].map((row) => {
      const [from, seconds] = [...row.querySelectorAll("input")].map((input) => Number(input.value));
      return { from_round: Math.trunc(from ?? NaN), seconds: seconds ?? NaN };
    });
  }

  /** @param {Api.StepBody[]} changed */
  function setLines(changed) {
    [lines, unusual] = [changed, null];
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

  /** @param {Api.StepBody[]} now */
  function set(now) {
    const [least = 0, most = 0] = USUAL_S;
    const meant = JSON.stringify(unusual) === JSON.stringify(now) || now.every(({ seconds }) => seconds >= least && seconds <= most);
    unusual = meant ? null : now;
    if (meant) desk.send("set_schedule", now);
  }

  /** The button that writes usual times into the lines; they are set only with the other button. */
  const preset = (/** @type {(typeof PRESETS)[number]} */ [name, early, late]) => html`<button type="button" @click=${() =>
    setLines([{ from_round: 1, seconds: early }, { from_round: LONGER_FROM, seconds: late }])}>${word(name)}</button>`;

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
        <div class="chips">${PRESETS.map(preset)}</div>
        <ol class="steps" data-is="steps">${repeat(lines, (step) => step, line)}</ol>
        <div class="row">
          <button type="button" data-is="add-step" @click=${addLine}>${word("add_row")}</button>
          ${desk.button("set_schedule", word("set_schedule"), () => use(set), { is: "set-schedule", look: "do" })}
        </div>
        <div class="sure" data-is="schedule-sure" ?hidden=${unusual === null}>
          <p>${word("schedule_unusual", { seconds: numberText(unusual?.find(({ seconds }) => seconds < (USUAL_S[0] ?? 0) || seconds > (USUAL_S[1] ?? 0))?.seconds ?? 0) })}</p>
          ${desk.button("set_schedule", word("schedule_all_the_same"), () => use(set), { is: "set-schedule-sure", look: "risky" })}
          <button type="button" @click=${() => setLines(lines)}>${word("cancel")}</button>
        </div>
        <p class="mistake" data-is="schedule-mistake" role="alert">${mistake === null ? "" : word(mistake)}</p>
        ${desk.against("set_schedule")}
      </section>`;
    },
  };
}
