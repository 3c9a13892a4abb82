// The round times: from which round on a round lasts how long.

import { make, part, setText } from "../dom.js";
import { word } from "../words.js";

/**
 * @import { WordKey } from "../words.js"
 * @import { Tools } from "./controls.js"
 * @typedef {ReturnType<typeof scheduleCard>} ScheduleCard
 */

const LONGEST_S = 3_600;

/**
 * The key of a sentence that says what is wrong with these steps, or null.
 * @param {Api.StepBody[]} steps
 */
export function scheduleMistake(steps) {
  if (steps[0]?.from_round !== 1) return "scheduleFirst";
  if (steps.some((step, index) => index > 0 && !(step.from_round > (steps[index - 1]?.from_round ?? 0)))) return "scheduleOrder";
  if (steps.some((step) => !(step.seconds >= 1 && step.seconds <= LONGEST_S))) return "scheduleSeconds";
  return null;
}

/**
 * @param {string} className
 * @param {number} value
 * @param {WordKey} label
 */
function numberField(className, value, label) {
  const input = make("input", className);
  Object.assign(input, { type: "number", min: "1", value: String(value), inputMode: "decimal" });
  return make("label", "", [make("span", "", word(label)), input]);
}

/** @param {Tools} tools */
export function scheduleCard({ send, controls }) {
  const list = part("steps");
  let inForce = "";

  /** @param {Api.StepBody} step */
  function addRow(step) {
    const remove = make("button", "plain", "×");
    remove.type = "button";
    remove.setAttribute("aria-label", word("removeRow"));
    const fields = [numberField("from", step.from_round, "fromRound"), numberField("seconds", step.seconds, "lasts"), remove];
    const row = make("li", "step", fields);
    remove.addEventListener("click", () => list.childElementCount > 1 && row.remove());
    list.append(row);
  }

  function steps() {
    return [...list.children].map((row) => {
      const [from, seconds] = [...row.querySelectorAll("input")].map((input) => Number(input.value));
      return { from_round: Math.trunc(from ?? NaN), seconds: seconds ?? NaN };
    });
  }

  /**
   * Hands on the steps, or shows what is wrong with them.
   * @param {(steps: Api.StepBody[]) => void} act
   */
  function use(act) {
    const mistake = scheduleMistake(steps());
    setText(part("schedule-mistake"), mistake === null ? "" : word(mistake));
    if (mistake === null) act(steps());
  }

  /**
   * Shows the times in force when they have changed; what is being written stays until then.
   * @param {Api.Picture} picture
   */
  function take({ schedule }) {
    const now = JSON.stringify(schedule);
    if (now === inForce) return;
    inForce = now;
    list.replaceChildren();
    schedule.forEach(addRow);
    setText(part("schedule-mistake"), "");
  }

  const add = part("add-step");
  add.type = "button";
  add.addEventListener("click", () => {
    const last = steps().at(-1);
    if (last !== undefined) addRow({ from_round: last.from_round + 10, seconds: last.seconds });
  });
  controls.bind(part("set-schedule"), "set_schedule", () => use((now) => send("set_schedule", now)));
  return { use, take };
}
