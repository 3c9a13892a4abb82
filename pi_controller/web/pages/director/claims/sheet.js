// The claim sheet: counts with − and +, the points they make, the pieces there are. The game counts again itself.

import { html, nothing } from "../../vendor/lit-html/lit-html.js";
import { word } from "../../words.js";
import { FLAGS, RESOURCES, pointsOf } from "./count.js";
import { writerText } from "../../sheets.js";
import { keepSheet, keptSheet } from "./kept.js";
import { closingText } from "./rivals.js";

/**
 * @import { Drafts, Flag, Resource } from "./count.js"
 * @import { SharedSheets } from "../../sheets.js"
 * @import { Desk } from "../desk.js"
 * @typedef {{ drafts: Drafts, shared: SharedSheets }} Sheets
 */

const COUNTS = /** @type {const} */ (["settlements", "cities", "victory_cards"]);
const MOST_CARDS = 25;
/** @type {readonly string[]} */
const PIECES = ["settlements", "cities"];
const MOST_RESOURCES = 999;

/**
 * One number with its two buttons; `set` gets the number that is wanted.
 * @param {(typeof COUNTS)[number] | Resource} name
 * @param {number} most
 * @param {number} value
 * @param {(value: number) => void} set
 */
function stepper(name, most, value, set) {
  const what = word(name);
  const full = PIECES.includes(name) && value >= most ? word("too_many", { what }) : "";
  return html`<div class="stepper">
    <span class="stepper-name">${what}</span>
    <button type="button" aria-label=${word("fewer", { what })} ?disabled=${value <= 0} @click=${() => set(value - 1)}>−</button>
    <output>${value}</output>
    <button type="button" aria-label=${word("more", { what })} title=${full} ?disabled=${value >= most} @click=${() => set(value + 1)}>+</button>
    <span class="only-spoken">${full}</span>
  </div>`;
}

/**
 * @param {Flag} name
 * @param {boolean} held
 * @param {(held: boolean) => void} set
 */
function flag(name, held, set) {
  return html`<button type="button" class="toggle" aria-pressed=${held} @click=${() => set(!held)}>${word(name)}</button>`;
}

/**
 * What sending the sheet does: it confirms or rejects, counts for the ranking while sheets are collected, or takes the place of a verdict.
 * @param {boolean} corrects
 * @param {boolean} ranks
 * @param {number} total
 * @param {number} target
 */
function verdictText(corrects, ranks, total, target) {
  if (corrects) return word("sheet_correct", { count: total });
  if (ranks) return word("sheet_rank", { count: total });
  return total >= target ? word("sheet_confirm", { count: total }) : word("sheet_reject", { points: total, target });
}

/**
 * The form for one claim; its draft is kept in `drafts`, and all who judge see it.
 * @param {Desk} desk
 * @param {Api.ClaimView} claim
 * @param {Sheets} sheets
 * @param {Pick<Api.VerdictBody, "board" | "side">} naming what the verdict says of who claims
 */
export function sheetForm(desk, claim, { drafts, shared }, naming) {
  const game = desk.picture?.game_id ?? "";
  const { rules } = /** @type {Api.Picture} */ (desk.picture);
  const sheet = drafts.sheetOf(claim.id, keptSheet(desk, claim.id), rules.play === "turns" ? 0 : 1);
  const hand = sheet.resources;
  const total = pointsOf(sheet);
  const target = desk.picture?.target_points ?? 0;
  const ranks = desk.picture?.phase === "collecting";
  const corrects = !ranks && claim.status !== "open";
  const enough = ranks || total >= target;
  const does = closingText(/** @type {Api.Picture} */ (desk.picture), { ...claim, ...naming }, verdictText(corrects, ranks, total, target), enough ? total : null);

  /** Of a claim that has been judged already the verdict is replaced, however many actions ago it was given. */
  function give() {
    if (!corrects) return desk.send("verdict", { claim: claim.id, sheet, ...naming });
    return desk.send("undo", { claim: claim.id, replace: { name: "verdict", body: { claim: claim.id, sheet } } });
  }
  const twice = drafts.heldByBoth(claim.id).map((name) => word("held_twice", { what: word(name) }));

  /**
   * @template {object} Target
   * @template {keyof Target} Name
   * @param {Target} target
   * @param {Name} name
   */
  const setter = (target, name) => (/** @type {Target[Name]} */ value) => {
    target[name] = value;
    keepSheet(desk, claim.id, sheet);
    shared.put(game, claim.id, sheet);
    desk.redraw();
  };
  return html`<div class="sheet">
    <p class="hint" data-is="sheet-writer" aria-live="polite">${writerText(shared.author(game, claim.id))}</p>
    <p class="mistake" role="alert">${shared.trouble(game, claim.id).join(" ")}</p>
    <div class="steppers">${COUNTS.map((name) => stepper(name, name === "victory_cards" ? MOST_CARDS : rules[name], sheet[name], setter(sheet, name)))}</div>
    <div class="flags">${FLAGS.filter((name) => rules.foreign_bonus || !name.startsWith("foreign")).map((name) => flag(name, sheet[name], setter(sheet, name)))}</div>
    <p class="hint">${word("pieces", { ...sheet, most_settlements: rules.settlements, most_cities: rules.cities, roads: rules.roads })}</p>
    ${rules.play === "turns" ? nothing : html`<h2 class="sheet-hand">${word("resources_title")}</h2>
    <div class="steppers small">${RESOURCES.map((name) => stepper(name, MOST_RESOURCES, hand[name], setter(hand, name)))}</div>`}
    <p class="mistake" role="alert" ?hidden=${twice.length === 0}>${twice.join(" ")}</p>
    <div class="sheet-foot">
      <p class="sheet-points" data-enough=${enough}><strong>${word("points", { count: total })}</strong> ${ranks ? nothing : word("of_target", { target })}</p>
      ${desk.button(corrects ? "undo" : "verdict", does, give, { look: enough ? "go" : "" })}
    </div>
  </div>`;
}
