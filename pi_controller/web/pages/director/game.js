// Ending a game, which takes two touches, and arming a new one.

import { make, part, show } from "../dom.js";
import { word } from "../words.js";

/**
 * @import { Tools } from "./controls.js"
 * @import { ScheduleCard } from "./schedule.js"
 */

const SURE_FOR_MS = 15_000;
const RULE_SETS = /** @type {const} */ (["default", "connect"]);
const FIRST_SIDES = /** @type {const} */ (["default", "sun", "moon", "drawn"]);

/**
 * @param {HTMLSelectElement} select
 * @param {[value: string, text: string][]} choices
 */
function fill(select, choices) {
  for (const [value, text] of choices) {
    const option = make("option", "", text);
    option.value = value;
    select.append(option);
  }
}

/** Opens the second question of an end, which closes again by itself. */
function question() {
  const box = part("end-sure");
  /** @type {number | undefined} */
  let closing;
  const close = () => show(box, false);
  part("end-cancel").addEventListener("click", close);
  return {
    close,
    open() {
      show(box, true);
      part("end-cancel").focus();
      clearTimeout(closing);
      closing = setTimeout(close, SURE_FOR_MS);
    },
  };
}

/**
 * @param {Tools} tools
 * @param {ScheduleCard} schedule
 */
export function gameCard({ send, controls }, schedule) {
  const endSure = question();
  const withSchedule = part("arm-schedule");
  fill(part("rule-set"), RULE_SETS.map((name) => [name, word(`rule_${name}`)]));
  fill(part("first-side"), FIRST_SIDES.map((name) => [name, word(`side_${name}`)]));
  withSchedule.type = "button";
  withSchedule.addEventListener("click", () => {
    withSchedule.setAttribute("aria-pressed", String(withSchedule.getAttribute("aria-pressed") !== "true"));
  });

  function arm() {
    /** @type {Api.ArmBody} */
    const body = {};
    if (part("rule-set").value !== "default") body.rule_set = part("rule-set").value;
    const first = FIRST_SIDES.find((side) => side === part("first-side").value);
    if (first !== undefined && first !== "default") body.first_side = first;
    if (withSchedule.getAttribute("aria-pressed") !== "true") return send("arm", body);
    return schedule.use((steps) => send("arm", { ...body, schedule: steps }));
  }

  controls.bind(part("end"), "end", () => endSure.open());
  controls.bind(part("end-now"), "end", () => {
    endSure.close();
    send("end", { confirm: true });
  });
  controls.bind(part("arm"), "arm", arm);

  return {
    /** @param {Api.Picture} picture */
    take(picture) {
      if (picture.phase === "ended") endSure.close();
    },
  };
}
