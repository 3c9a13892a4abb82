// What is to be tested, by whom, and the start.

import { make, part, setText, show } from "../dom.js";
import { word } from "../words.js";
import { act } from "./acts.js";

/** @typedef {(typeof LEVELS)[number]} Level */

const LEVELS = /** @type {const} */ (["field", "boot", "bench"]);
const BENCH = "bench";
const WALK = "CLM";
const NAME_KEY = "operator";

/** @param {Level} level */
function levelChoice(level) {
  const input = Object.assign(make("input"), { type: "radio", name: "level", value: level, checked: level === LEVELS[0] });
  return make("label", "level", [input, make("b", "", word(`stLevel_${level}`)), make("span", "hint", word(`stLevelHelp_${level}`))]);
}

/** @param {Selftest.CheckView} check */
function checkChoice({ code, title, guided }) {
  const input = Object.assign(make("input"), { type: "checkbox", value: code });
  const label = make("label", "check", [input, make("b", "code", code), make("span", "", title)]);
  if (guided) label.append(make("span", "hint", word("stGuided")));
  return label;
}

/** The nodes that answer, as options; without the list it can still be the only one that is connected. */
async function nodeOptions() {
  const response = await fetch("/api/tables");
  /** @type {Pick<Api.TablesSnapshot, "nodes">} */
  const { nodes } = response.ok ? await response.json() : { nodes: [] };
  /**
   * @param {string} value
   * @param {string} text
   */
  const option = (value, text) => Object.assign(make("option", "", text), { value });
  return [option("", word("stNodeOnly")), ...nodes.map((node) => option(node.uid, node.board === null ? node.uid : word("claimBoard", { board: node.board })))];
}

export function beginCard() {
  const form = part("begin");
  /** @type {Selftest.CheckView[]} */
  let checks = [];
  part("levels").append(...LEVELS.map(levelChoice));
  part("operator").value = localStorage.getItem(NAME_KEY) ?? "";

  const level = () => LEVELS.find((each) => each === new FormData(form).get("level")) ?? LEVELS[0];
  const chosen = () => [...part("checks").querySelectorAll("input")].filter((box) => box.checked).map((box) => box.value);
  /** @param {Level} wanted */
  const of = (wanted) => checks.filter((check) => check.levels.includes(wanted));

  function sayChoice() {
    const n = chosen().length;
    setText(part("choice-words"), n === 0 ? word("stChoiceAll", { n: of(level()).length }) : word("stChoiceSome", { n }));
    show(part("walk-only"), of(level()).some((check) => check.code === WALK));
  }

  function fill() {
    part("checks").replaceChildren(...of(level()).map(checkChoice));
    sayChoice();
  }

  /** @param {string[]} only */
  function start(only) {
    if (!form.reportValidity()) return;
    localStorage.setItem(NAME_KEY, part("operator").value.trim());
    const uid = level() === BENCH && part("node").value !== "" ? { uid: part("node").value } : {};
    act("begin", { level: level(), operator: part("operator").value.trim(), only, ...uid });
  }

  part("levels").addEventListener("change", async () => {
    fill();
    show(part("node-fields"), level() === BENCH);
    if (level() === BENCH) part("node").replaceChildren(...(await nodeOptions()));
  });
  part("checks").addEventListener("change", sayChoice);
  part("walk-only").addEventListener("click", () => start([WALK]));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    start(chosen());
  });

  return {
    /** @param {Selftest.SelftestSnapshot} snapshot */
    take(snapshot) {
      if (checks.length === snapshot.checks.length) return;
      checks = snapshot.checks;
      fill();
    },
  };
}
