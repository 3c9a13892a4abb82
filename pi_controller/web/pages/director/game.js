// Ending a game and arming a new one: never with one touch while a game is under way.

import { make, part, show } from "../dom.js";
import { word } from "../words.js";

const SURE_FOR_MS = 15_000;
const RULE_SETS = ["default", "connect"];
const FIRST_SIDES = ["default", "sun", "moon", "drawn"];

function fill(select, prefix, values) {
  for (const value of values) {
    const option = make("option", "", word(`${prefix}_${value}`));
    option.value = value;
    select.append(option);
  }
}

/** Opens a second question which closes again by itself. */
function question(name) {
  const box = part(`${name}-sure`);
  let closing = null;
  const close = () => show(box, false);
  part(`${name}-cancel`).addEventListener("click", close);
  return {
    close,
    open() {
      show(box, true);
      part(`${name}-cancel`).focus();
      clearTimeout(closing);
      closing = setTimeout(close, SURE_FOR_MS);
    },
  };
}

export function gameCard({ send, controls }, schedule) {
  const [endSure, armSure] = [question("end"), question("arm")];
  const withSchedule = part("arm-schedule");
  let underWay = false;
  fill(part("rule-set"), "rule", RULE_SETS);
  fill(part("first-side"), "side", FIRST_SIDES);
  withSchedule.type = "button";
  withSchedule.addEventListener("click", () => {
    withSchedule.setAttribute("aria-pressed", String(withSchedule.getAttribute("aria-pressed") !== "true"));
  });

  function arm() {
    armSure.close();
    const body = {};
    if (part("rule-set").value !== "default") body.rule_set = part("rule-set").value;
    if (part("first-side").value !== "default") body.first_side = part("first-side").value;
    if (withSchedule.getAttribute("aria-pressed") !== "true") return send("arm", body);
    return schedule.use((steps) => send("arm", { ...body, schedule: steps }));
  }

  controls.bind(part("end"), "end", () => endSure.open());
  controls.bind(part("end-now"), "end", () => {
    endSure.close();
    send("end", { confirm: true });
  });
  controls.bind(part("arm"), "arm", () => (underWay ? armSure.open() : arm()));
  controls.bind(part("arm-now"), "arm", arm);

  return {
    take(picture) {
      underWay = picture.phase !== "ready" && picture.phase !== "ended";
      if (picture.phase === "ended") endSure.close();
    },
  };
}
