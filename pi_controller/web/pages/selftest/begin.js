// What is to be tested, by whom, and the start.

import { make, part, setText, show } from "../dom.js";
import { word } from "../words.js";
import { act } from "./acts.js";

const LEVELS = ["field", "boot", "bench"];
const BENCH = "bench";
const WALK = "CLM";
const NAME_KEY = "operator";

function levelChoice(level) {
  const input = Object.assign(make("input"), { type: "radio", name: "level", value: level, checked: level === LEVELS[0] });
  return make("label", "level", [input, make("b", "", word(`stLevel_${level}`)), make("span", "hint", word(`stLevelHelp_${level}`))]);
}

function checkChoice({ code, title, guided }) {
  const input = Object.assign(make("input"), { type: "checkbox", value: code });
  const label = make("label", "check", [input, make("b", "code", code), make("span", "", title)]);
  if (guided) label.append(make("span", "hint", word("stGuided")));
  return label;
}

/** The nodes that answer, as options; without the list it can still be the only one that is connected. */
async function nodeOptions() {
  const response = await fetch("/api/tables");
  const { nodes } = response.ok ? await response.json() : { nodes: [] };
  const option = (value, text) => Object.assign(make("option", "", text), { value });
  return [option("", word("stNodeOnly")), ...nodes.map((node) => option(node.uid, node.board === null ? node.uid : word("claimBoard", { board: node.board })))];
}

export function beginCard() {
  const form = part("begin");
  let checks = [];
  part("levels").append(...LEVELS.map(levelChoice));
  part("operator").value = localStorage.getItem(NAME_KEY) ?? "";

  const level = () => form.elements.level.value;
  const chosen = () => [...part("checks").querySelectorAll(":checked")].map((box) => box.value);
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
    take(snapshot) {
      if (checks.length === snapshot.checks.length) return;
      checks = snapshot.checks;
      fill();
    },
  };
}
