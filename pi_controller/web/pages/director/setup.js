// What is prepared for a game: seats, round times, arming; the state of the parts, earlier games.

import { repeat } from "../vendor/lit-html/directives/repeat.js";
import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { factList, options, ownName, symbol } from "../lib/components.js";
import { part, redraw } from "../lib/dom.js";
import { answerOf } from "../lib/feed.js";
import { groupedHex, inTurns } from "../lib/reading.js";
import { allSeats, nameOf } from "../lib/seats.js";
import { sealTitle } from "../lib/texts.js";
import { allTold, numberText, wayTo, word } from "../lib/words.js";

/**
 * @import { Asking } from "./page.js"
 * @import { Desk } from "../lib/desk.js"
 * @import { WordKey } from "../lib/words.js"
 */

// What is set for the game that is about to start, in one look.

/**
 * @param {() => [string, string][]} boards how well the nodes stand, and which
 * @param {() => { name: string, connected: boolean }[]} screens those that have been admitted
 */
export function readyCard(boards, screens) {
  /** @param {Api.Picture} picture */
  function ofHall({ claims_mode: mode, schedule }) {
    const [lines, times] = [boards(), schedule.map(({ from_round: from, seconds }, at) => `${at === 0 ? "" : `${word("from_round")} ${from}: `}${seconds}\u00a0s`)];
    return [
      { name: word("evening_boards"), text: lines.map(([, text]) => text).join(" · "), look: lines.some(([standing]) => standing !== "good"), wide: true },
      { name: word("schedule_title"), text: times.join(" · ") },
      { name: word("claims_mode"), text: word(`claims_${mode}`) },
    ];
  }

  /** @param {Api.Picture} picture */
  const ofTable = (picture) => [
    { name: word("seats_title"), text: allSeats(picture).map(({ name }) => name).join(" · "), wide: true },
    { name: word("seats_seconds"), text: String(picture.schedule[0]?.seconds ?? 0) },
  ];

  /** @param {Api.Picture} picture */
  return (picture) => {
    const { commitment, languages, sound } = picture;
    const away = screens().filter(({ connected }) => !connected);
    return html`<section class="card ready-card" data-is="ready-card">
      <header class="card-top"><h2>${word("ready_card")}</h2><a href="#setup">${word("mode_setup")}</a></header>
      ${factList("link-facts", "link-fact", [
        ...(inTurns(picture) ? ofTable(picture) : ofHall(picture)),
        { name: word("evening_speech"), text: [...languages.map((tag) => ownName(tag.replace("_", "-"))), ...(sound === null ? [] : [word(sound.muted === null ? "sound_heard" : "sound_muted")])].join(" · "), look: sound?.muted != null },
        ...(screens().length === 0 ? [] : [{ name: word("screens_title"), text: [`${screens().length - away.length} / ${screens().length}`, ...away.map(({ name }) => name)].join(" · "), look: away.length > 0 }]),
        { name: sealTitle(picture), text: groupedHex(commitment ?? "", 4), wide: true },
      ])}
    </section>`;
  };
}

// Who sits at the one table, in the order of the turns: until the start they can be named, moved, join and leave.

/** @typedef {Api.SeatChoiceBody["id"]} Colour */

/** @type {Record<Colour, string>} */
const SIGNS = { red: "square", blue: "circle", white: "diamond", orange: "triangle", green: "star", brown: "cross" };
const COLOURS = /** @type {Colour[]} */ (Object.keys(SIGNS));
const FEWEST = 3;
const MOVES = /** @type {const} */ ([[-1, "↑", "seats_earlier"], [1, "↓", "seats_later"]]);

/** @param {Desk} desk */
function seatsForm(desk) {
  let inForce = "";
  /** @type {Colour[]} */
  let sitting = []; // their names stand in the fields, as they are now

  /** @param {string} id */
  const named = (id) => nameOf({ seats: desk.picture?.seats ?? [] }, id);

  /**
   * Round the table: before the first place comes the last one. The button keeps the focus, though its line moves.
   * @param {number} at
   * @param {number} by
   * @param {HTMLButtonElement} button
   */
  function move(at, by, button) {
    const order = [...sitting];
    order.splice((at + by + sitting.length) % sitting.length, 0, ...order.splice(at, 1));
    sitting = order;
    redraw();
    button.focus();
  }

  /**
   * @param {Colour} id
   * @param {number} at
   */
  function line(id, at) {
    const side = nameOf({ seats: [] }, id);
    return html`<li class="seat-line"><span class="sitting" data-colour=${id}>${symbol(SIGNS[id])}</span>
      <input name=${id} maxlength="16" autocomplete="off" aria-label=${side} placeholder=${side} value=${named(id) === side ? "" : named(id)}>
      ${MOVES.map(([by, sign, key]) => html`<button type="button" class="plain" aria-label=${word(key, { side })} @click=${(/** @type {any} */ event) => move(at, by, event.currentTarget)}>${sign}</button>`)}
      <button type="button" class="plain" aria-label=${word("seats_remove", { side })} ?disabled=${sitting.length <= FEWEST} @click=${() => (sitting = sitting.filter((each) => each !== id))}>×</button></li>`;
  }

  return {
    /** What `arm` is told of them. */
    said() {
      const written = new FormData(part("seats-form"));
      const seats = sitting.map((id) => ({ id, name: String(written.get(id)).trim() }));
      return { rule_set: desk.picture?.rule_set ?? null, seats, turn_seconds: Number(written.get("seconds")) };
    },
    /** @param {Api.Picture} picture */
    draw({ game_id: game, schedule, seats }) {
      const now = JSON.stringify([game, seats]); // only others than before take the place of what is being written
      if (now !== inForce) [inForce, sitting] = [now, seats.map(({ id }) => /** @type {Colour} */ (id))];
      const free = COLOURS.filter((id) => !sitting.includes(id));
      return html`<form data-is="seats-form" class="seats-form">
        <h3>${word("seats_title")}</h3><p class="hint">${word("seats_help")}</p>
        <ol class="steps">${repeat(sitting, (id) => `${inForce} ${id}`, line)}</ol>
        <div class="row"><button type="button" data-is="seats-add" ?disabled=${free.length === 0} @click=${() => (sitting = [...sitting, ...free.slice(0, 1)])}>${word("seats_add")}</button></div>
        <div class="fields"><label><span>${word("seats_seconds")}</span><input name="seconds" type="number" min="0" max="3600" inputmode="numeric" value=${schedule[0]?.seconds ?? 0}></label></div>
      </form>`;
    },
  };
}

// The round times: from which round on a round lasts how long.

/** @typedef {ReturnType<typeof scheduleCard>} ScheduleCard */

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

// How the parts are, and earlier games.

/** @param {Api.HealthView} health */
export const healthTexts = ({ level, messages, items }) => (messages.length > 0 ? allTold(messages, items) : [word(`health_${level}`)]);

/**
 * To the report of a game, and to the game again.
 * @param {string} id
 */
export const pastWays = (id) => html`<a href=${wayTo(`/report/${encodeURIComponent(id)}`)}>${word("report_title")}</a> <a href=${wayTo(`/replay/${encodeURIComponent(id)}`)}>${word("replay_title")}</a>`;

/** @param {Api.Game} game */
function gameLine({ game_id: id, armed_at: armed, rule_set: rules, ended, rounds }) {
  const facts = [armed, rules, word(ended ? "game_ended" : "game_open"), word("rounds_played", { count: rounds ?? 0 })];
  return html`<li class="game">
    <span class="game-id">${id}</span><span class="hint">${facts.filter(Boolean).join(" · ")}</span>
    <span class="game-ways">${pastWays(id)}<a href="/api/games/${encodeURIComponent(id)}/export" download="${id}.jsonl">${word("export_game")}</a></span>
  </li>`;
}

export function gamesCard() {
  /** @type {Api.Game[] | null} */
  let games = null;
  let mistake = "";

  async function load() {
    const { answer, problem } = await answerOf("/api/games", { unanswered: word("games_failed") });
    [games, mistake] = [answer?.games ?? games, problem];
    redraw();
  }

  return () => html`<section class="card">
    <h2>${word("games_title")}</h2>
    <ul class="games">${games?.length === 0 ? html`<li class="hint">${word("games_empty")}</li>` : games?.map(gameLine)}</ul>
    <div class="row"><button type="button" data-is="games-load" @click=${load}>${word("games_load")}</button></div>
    <p class="mistake" role="alert">${mistake}</p>
    <p class="hint"><span>${word("verify_help")}</span> <a href="/verify_game.py" download>${word("verifier")}</a></p>
  </section>`;
}

// Arming a new game, which asks after an end: its result goes from all screens. A rehearsal is marked as one everywhere.

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
 * @param {Asking} asking
 */
export function gameCard(desk, schedule, asking) {
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

  function draw() {
    const turns = inTurns(desk.picture);
    const ended = desk.picture?.phase === "ended";
    return html`<section class="card" data-is="game-card">
      <h2>${word("game_title")}</h2>
      ${turns && desk.picture !== null && desk.picture.allowed.arm == null ? seats.draw(desk.picture) : nothing}
      <div class="fields">
        <label><span>${word("rule_set")}</span><select data-is="rule-set">${options(RULE_SETS.map((name) => [name, word(`rule_${name}`)]))}</select></label>
        <label><span>${word("first_side")}</span><select data-is="first-side">${options(firstSides(desk.picture))}</select></label>
        <button type="button" class="toggle" data-is="arm-schedule" ?hidden=${turns} aria-pressed=${chosen.schedule} @click=${() => (chosen.schedule = !chosen.schedule)}>${word("arm_schedule")}</button>
        <button type="button" class="toggle" data-is="arm-rehearsal" aria-pressed=${chosen.rehearsal} @click=${() => (chosen.rehearsal = !chosen.rehearsal)}>${word("arm_rehearsal")}</button>
        ${desk.button("arm", word("arm"), () => (ended ? asking.ask("arm") : arm()), { is: "arm" })}
      </div>
      ${desk.against("arm")}
    </section>`;
  }

  return { arm, draw };
}
