// What is to be tested, by whom, and the start.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { repeat } from "../vendor/lit-html/directives/repeat.js";
import { jsonOf } from "../asked.js";
import { options } from "../components/list.js";
import { part } from "../dom.js";
import { told, word } from "../words.js";

/**
 * @import { SelftestActions } from "../selftest.js"
 * @typedef {(typeof LEVELS)[number]} Level
 */

const LEVELS = /** @type {const} */ (["field", "boot", "bench"]);
const BENCH = "bench";
const WALK = "CLM";
const NAME_KEY = "operator";

/** The nodes that answer; without the list it can still be the only one that is connected. */
async function fetchNodes() {
  /** @type {Pick<Api.TablesSnapshot, "nodes">} */
  const { nodes } = (await jsonOf("/api/tables")) ?? { nodes: [] };
  return nodes;
}

/**
 * @param {SelftestActions} actions
 * @param {() => void} redraw
 */
export function beginCard(actions, redraw) {
  const operator = localStorage.getItem(NAME_KEY) ?? "";
  /** @type {Level} */
  let level = LEVELS[0];
  /** @type {Set<string>} */
  const chosen = new Set(); // codes of checks; none: all of them
  /** @type {Api.NodeView[]} */
  let nodes = [];

  /** @param {Level} wanted */
  async function choose(wanted) {
    level = wanted;
    chosen.clear();
    redraw();
    if (level !== BENCH) return;
    nodes = await fetchNodes();
    redraw();
  }

  /** @param {string} code */
  function toggle(code) {
    if (!chosen.delete(code)) chosen.add(code);
    redraw();
  }

  /** @param {string[]} only */
  function start(only) {
    if (!part("begin").reportValidity()) return;
    const name = part("operator").value.trim();
    localStorage.setItem(NAME_KEY, name);
    const uid = level === BENCH && part("node").value !== "" ? { uid: part("node").value } : {};
    actions.do("begin", { level, operator: name, only, ...uid });
  }

  /** @param {Level} each */
  const levelChoice = (each) => html`<label class="level">
    <input type="radio" name="level" value=${each} ?checked=${each === LEVELS[0]} @change=${() => choose(each)}><b>${word(`selftest_level_${each}`)}</b><span class="hint">${word(`selftest_level_help_${each}`)}</span></label>`;

  /** @param {Selftest.CheckView} check */
  const checkChoice = ({ code, title, title_key: titleKey, guided }) => html`<label class="check">
    <input type="checkbox" value=${code} .checked=${chosen.has(code)} @change=${() => toggle(code)}><b class="code">${code}</b><span>${told(title, titleKey)}</span>${guided ? html`<span class="hint">${word("selftest_guided")}</span>` : nothing}</label>`;

  /** @returns {[string, string][]} */
  const nodeChoices = () => nodes.map(({ uid, board }) => [uid, board === null ? uid : word("claim_board", { board })]);

  /**
   * @param {Selftest.SelftestSnapshot} snapshot
   * @param {boolean} wanted whether a test may be begun now
   */
  return ({ checks }, wanted) => {
    const possible = checks.filter((check) => check.levels.includes(level));
    const codes = possible.map(({ code }) => code).filter((code) => chosen.has(code));
    /** @param {SubmitEvent} event */
    const submit = (event) => {
      event.preventDefault();
      start(codes);
    };
    return html`<form class="card begin" data-is="begin" ?hidden=${!wanted} @submit=${submit}>
      <h2>${word("selftest_begin")}</h2>
      <fieldset class="levels"><legend class="only-spoken">${word("selftest_level")}</legend>${LEVELS.map(levelChoice)}</fieldset>
      <div class="fields"><label class="wide"><span>${word("selftest_operator")}</span><input data-is="operator" name="operator" value=${operator} required maxlength="40" autocomplete="name"></label></div>
      <div class="fields" ?hidden=${level !== BENCH}><label class="wide"><span>${word("selftest_node")}</span><select data-is="node">${options([["", word("selftest_node_only")], ...nodeChoices()])}</select></label></div>
      <details>
        <summary data-is="choice-words">${codes.length === 0 ? word("selftest_choice_all", { count: possible.length }) : word("selftest_choice_some", { count: codes.length })}</summary>
        <div class="checks">${repeat(possible, ({ code }) => code, checkChoice)}</div>
      </details>
      <button class="strong start">${word("selftest_start")}</button>
      <button type="button" ?hidden=${!possible.some(({ code }) => code === WALK)} @click=${() => start([WALK])}>${word("selftest_walk_only")}</button>
      <p class="hint">${word("selftest_lock_help")}</p>
    </form>`;
  };
}
