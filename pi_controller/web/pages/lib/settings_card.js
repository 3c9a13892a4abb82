// Settings that the staff changes on its pages, by what one looks for. They are fetched when the first group is opened.

import { repeat } from "../vendor/lit-html/directives/repeat.js";
import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { once, ownName } from "./components.js";
import { redraw, redrawAfter } from "./dom.js";
import { answerOf, jsonInTheEnd } from "./feed.js";
import { spokenLanguage, word } from "./words.js";

/** @import { WordKey } from "./words.js" */

/**
 * @typedef {Selftest.SettingView} Setting
 * @typedef {Api.StepBody} Step
 * @typedef {{ setting: Setting, name: string, value: any, change: (value: unknown) => void }} Field what stands in it, and where a change goes
 */

const GROUPS = /** @type {const} */ (["languages", "sound", "names", "times", "lines", "phones", "screens"]);
const RETRY_MS = 1_000;

/** @param {string} key */
const nameOf = (key) => word(/** @type {WordKey} */ (`setting_${key.replace(".", "_")}`));

// The fields of each kind. What is no number yet goes to the controller as it stands, which says what is wrong with it.

/** @param {{ currentTarget: HTMLInputElement }} event */
const numberIn = ({ currentTarget: input }) => (Number.isNaN(input.valueAsNumber) ? input.value : input.valueAsNumber);

/**
 * @param {string} label
 * @param {Selftest.SettingForm | { whole: boolean, least: number, most: number | null }} form
 * @param {unknown} value
 * @param {(value: unknown) => void} change
 */
const numberInput = (label, { whole, least, most }, value, change) => html`<input type="number" inputmode=${whole ? "numeric" : "decimal"} aria-label=${label} min=${least ?? nothing} max=${most ?? nothing}
  step=${whole ? 1 : "any"} .value=${String(value)} @input=${(/** @type {any} */ event) => change(numberIn(event))}>`;

/**
 * @param {string} text
 * @param {boolean} on
 * @param {() => void} act
 */
const toggle = (text, on, act) => html`<button type="button" class="toggle" aria-pressed=${on} @click=${act}>${text}</button>`;

/**
 * @param {string} label
 * @param {string} value
 * @param {Iterable<readonly [string, string]>} choices
 * @param {(value: string) => void} change
 */
const select = (label, value, choices, change) => html`<select aria-label=${label} @change=${(/** @type {any} */ { currentTarget }) => redrawAfter(change(currentTarget.value))}>
  ${repeat(choices, ([each]) => each, ([each, text]) => html`<option value=${each} .selected=${each === value}>${text}</option>`)}</select>`;

/** @param {Field} field */
function languagesField({ setting, value, change }) {
  const [first = "", second = ""] = value;
  const names = setting.form.choices.map((tag) => /** @type {const} */ ([tag, ownName(tag)]));
  const others = names.filter(([tag]) => tag !== first);
  const [one, other] = [word("settings_first_language"), word("settings_second_language")];
  return html`<div class="fields"><label><span>${one}</span>${select(one, first, names, (tag) => change(second === tag || second === "" ? [tag] : [tag, second]))}</label>
    <label><span>${other}</span>${select(other, second, [["", word("settings_no_second")], ...others], (tag) => change(tag === "" ? [first] : [first, tag]))}</label></div>`;
}

/** @param {Field} field */
function soundsField({ setting, name, value, change }) {
  const without = (/** @type {string} */ kind) => value.filter((/** @type {string} */ each) => each !== kind);
  const kinds = setting.form.choices.map((kind) => toggle(word(/** @type {WordKey} */ (`sound_kind_${kind}`)), value.includes(kind), () => change(value.includes(kind) ? without(kind) : [...value, kind])));
  return html`<div class="row" role="group" aria-label=${name}>${kinds}</div>`;
}

const USUAL_COLOURS = ["#ffc94d", "#a9b9ff"]; // read on the dark ground of the screens

/** @param {Field} field */
function coloursField({ value, change }) {
  const own = value.length > 0;
  const colour = (/** @type {string} */ label, /** @type {number} */ at) => html`<label><span>${label}</span><input type="color" .value=${value[at]}
    @input=${(/** @type {any} */ { currentTarget }) => change(value.with(at, currentTarget.value))}></label>`;
  return html`<div class="row">${toggle(word("settings_own_colours"), own, () => change(own ? [] : USUAL_COLOURS))}</div>
    ${own ? html`<div class="fields">${colour(word("settings_colour_of_name"), 0)}${colour(word("settings_colour_of_line"), 1)}</div>` : nothing}`;
}

/**
 * Lines with a button to remove each, and one for a further line.
 * @param {Field} field
 * @param {{ line: (item: any, put: (item: unknown) => void, label: string) => unknown, further: () => unknown, least: number }} form
 */
function linesField({ setting, value, change }, { line, further, least }) {
  const full = value.length >= (setting.form.most ?? Infinity);
  const each = (/** @type {unknown} */ item, /** @type {number} */ at) => html`<li class="step">${line(item, (put) => change(value.with(at, put)), word("settings_line", { number: at + 1 }))}
    <button type="button" class="plain" ?disabled=${value.length <= least} aria-label=${word("settings_remove", { number: at + 1 })} @click=${() => change(value.toSpliced(at, 1))}>×</button></li>`;
  return html`<ol class="steps">${value.map(each)}</ol>
    <div class="row"><button type="button" ?disabled=${full} @click=${() => change([...value, further()])}>${word("settings_add")}</button></div>`;
}

/**
 * @param {string} label
 * @param {string} value
 * @param {number | null} longest
 * @param {(value: string) => void} change
 */
const textInput = (label, value, longest, change) => html`<input aria-label=${label} maxlength=${longest ?? nothing} autocomplete="off" .value=${value} @input=${(/** @type {any} */ { currentTarget }) => change(currentTarget.value)}>`;

const ROUNDS = { whole: true, least: 1, most: 9_999 };
const SECONDS = { whole: false, least: 1, most: 3_600 };
const ROUNDS_LATER = 10;

/** @param {Field} field */
function stepsField(field) {
  /** @type {Step[]} */
  const steps = field.value;
  const last = steps.at(-1) ?? { from_round: 1 - ROUNDS_LATER, seconds: 35 };
  return linesField(field, {
    line: (/** @type {Step} */ step, put) => html`<label><span>${word("from_round")}</span>${numberInput(word("from_round"), ROUNDS, step.from_round, (from_round) => put({ ...step, from_round }))}</label>
      <label><span>${word("settings_round_lasts")}</span>${numberInput(word("settings_round_lasts"), SECONDS, step.seconds, (seconds) => put({ ...step, seconds }))}</label>`,
    further: () => ({ from_round: Number(last.from_round) + ROUNDS_LATER, seconds: last.seconds }),
    least: 1,
  });
}

/** @param {Field} field */
function fieldOf(field) {
  const { setting, name, value, change } = field;
  const { form, key } = setting;
  switch (form.kind) {
    case "yes_no":
      return html`<div class="row">${toggle(name, value === true, () => change(value !== true))}</div>`;
    case "choice":
      return select(name, value, form.choices.map((choice) => [choice, word(/** @type {WordKey} */ (`setting_choice_${choice}`))]), change);
    case "choices":
      return key === "hall.languages" ? languagesField(field) : soundsField(field);
    case "texts":
      return key === "event.colours" ? coloursField(field) : linesField(field, { line: (text, put, label) => textInput(label, text, form.longest, put), further: () => "", least: 0 });
    case "steps":
      return stepsField(field);
    case "number":
      return numberInput(name, form, value, change);
    default:
      return textInput(name, value, form.longest, change);
  }
}

// The card: what is saved, what has been changed and not saved yet, and why that was refused.

const PATH = "/api/settings";

/** @returns {Promise<{ answer: Selftest.SettingsView | null, problem: string }>} */
export const settingsNow = () => answerOf(PATH);

/**
 * All of these or none; a refusal names its mistakes by their keys.
 * @param {{ key: string, value: unknown }[]} changes
 */
export const changeSettings = (changes) => answerOf(PATH, { body: changes });

/** @param {string} text */
const sentence = (text) => text.charAt(0).toLocaleUpperCase(spokenLanguage()) + text.slice(1);

export function settingsCard() {
  /** @type {Selftest.SettingsView | null} */
  let known = null;
  /** @type {Map<string, unknown>} */
  const drafts = new Map();
  /** @type {Record<string, string[]>} */
  let mistakes = {};
  let [problem, savedIn, restarting] = ["", "", false];

  async function load() {
    const { answer, problem: why } = await settingsNow();
    [known, problem] = [answer ?? known, why];
    redraw();
  }

  /**
   * Resolves with whether all of it is saved.
   * @param {{ key: string, value: unknown }[]} changes
   */
  async function send(changes) {
    const { answer, problem: why, refusal } = await changeSettings(changes);
    [mistakes, savedIn] = [refusal?.mistakes ?? {}, ""];
    const beside = Object.keys(mistakes).length > 0;
    if (answer === null) {
      problem = beside ? "" : why;
      return false;
    }
    for (const { key } of changes) drafts.delete(key);
    await load();
    return true;
  }

  /** @param {Setting} setting */
  const isChanged = ({ key, value }) => drafts.has(key) && JSON.stringify(drafts.get(key)) !== JSON.stringify(value);

  /** @param {(typeof GROUPS)[number]} group */
  async function save(group) {
    const changes = (known?.settings ?? []).filter((setting) => setting.group === group && isChanged(setting)).map(({ key }) => ({ key, value: drafts.get(key) }));
    if (changes.length > 0 && (await send(changes))) savedIn = group;
  }

  async function restart() {
    const { answer, problem: why } = await answerOf(`${PATH}/restart`, { body: {} });
    problem = why;
    if (answer === null) return load();
    restarting = true;
    redraw();
    do {
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      known = await jsonInTheEnd(PATH, RETRY_MS);
    } while (known?.settings.some(({ waits }) => waits));
    restarting = false;
  }

  /** @param {Setting} setting */
  function notes({ counts, source, waits }) {
    const when = waits ? word("settings_waits") : counts === "next_game" ? word("settings_next_game") : counts === "restart" ? word("settings_after_restart") : "";
    return [source === "page" ? `${word("settings_source_page")}.` : "", when].filter(Boolean).join(" ");
  }

  /** @param {Setting} setting */
  function row(setting) {
    const { key } = setting;
    const name = nameOf(key);
    const value = drafts.get(key) ?? setting.value;
    const change = (/** @type {unknown} */ changed) => void drafts.set(key, changed);
    const putBack = html`<button type="button" class="put-back" aria-label=${word("settings_put_back_of", { setting: name })} @click=${once(() => send([{ key, value: null }]))}>${word("settings_put_back")}</button>`;
    return html`<div class="setting" data-setting=${key} data-source=${setting.source}>
      ${setting.form.kind === "yes_no" ? nothing : html`<h3>${name}</h3>`}
      ${fieldOf({ setting, name, value, change })}
      <p class="mistake" role="alert">${(mistakes[key] ?? []).map(sentence).join(" ")}</p>
      <p class="hint">${sentence(setting.meaning)}</p>
      <div class="setting-foot"><p class="hint" data-waits=${setting.waits}>${notes(setting)}</p>${setting.source === "page" ? putBack : nothing}</div>
    </div>`;
  }

  /**
   * @param {(typeof GROUPS)[number]} group
   * @param {Setting[]} settings
   */
  function form(group, settings) {
    const changed = settings.some(isChanged);
    return html`<form class="settings" novalidate @submit=${() => redrawAfter(save(group))}>
      ${settings.map(row)}
      <div class="row"><button class="do" ?disabled=${!changed} aria-label=${word("settings_save_of", { group: word(`settings_group_${group}`) })}>${word("settings_save")}</button></div>
      <p class="hint" role="status">${savedIn === group && !changed ? word("settings_saved") : ""}</p>
    </form>`;
  }

  /** @param {Selftest.SettingsView} view */
  function restartBox({ settings, restart_reasons: against }) {
    if (restarting) return html`<p class="sure" role="status">${word("settings_restarting")}</p>`;
    if (!settings.some(({ waits }) => waits)) return nothing;
    return html`<div class="sure" data-is="settings-restart"><p>${word("settings_restart_help")}</p><p class="hint">${against.join(" ")}</p>
      <button type="button" ?disabled=${against.length > 0} @click=${once(restart)}>${word("settings_restart")}</button></div>`;
  }

  /** @param {(typeof GROUPS)[number]} group */
  function groupOf(group) {
    const body = known === null ? html`<p class="hint">${problem === "" ? word("settings_loading") : ""}</p>` : form(group, known.settings.filter((setting) => setting.group === group));
    return html`<details data-group=${group} @toggle=${load}><summary>${word(`settings_group_${group}`)}</summary>${body}</details>`;
  }

  return () => html`<section class="card settings-card" data-is="settings-card">
    <h2>${word("settings_title")}</h2>
    <p class="hint">${word("settings_help")}</p>
    ${known === null ? nothing : restartBox(known)}
    <p class="mistake" role="alert">${problem}</p>
    ${GROUPS.map(groupOf)}
  </section>`;
}
