// What a check has shown and what it has not, for people who were in the hall. Pure.

import { STRONG_DIGITS } from "./check.js";
import { shownWord } from "./python.js";

/**
 * @import { Said } from "../filling.js"
 * @import { WordKey } from "../words.js"
 * @import { Report, Seen } from "./check.js"
 */

const GROUP = 4; // digits side by side, as the screens write them
const SEAL_GROUPS = 6;

/**
 * @param {WordKey} key
 * @param {Said["params"]} params
 * @returns {Said}
 */
const said = (key, params = {}) => ({ key: `page.${key}`, params });

/**
 * The verdict in a word or two, and what it means.
 * @param {Report} report
 */
export function verdictOf({ verdict, turns, opening }) {
  if (verdict === "refused") return { title: said("verify_refused"), means: said("verify_refused_means") };
  if (verdict === "unproved") return { title: said("verify_not_yet"), means: said("verify_not_yet_means") };
  if (verdict === "partly") return { title: said("verify_passed_partly"), means: said("verify_passed_partly_means") };
  if (opening?.rehearsal) return { title: said("verify_passed_rehearsal"), means: said("verify_passed_rehearsal_means") };
  return { title: said(turns.late > 0 ? "verify_passed_late" : "verify_passed"), means: said("verify_passed_means") };
}

/**
 * Nothing of a file that does not pass.
 * @param {Report} report
 * @param {Seen} seen
 * @returns {Said[]}
 */
export function shownBy(report, { commitment, head, word }) {
  if (report.verdict === "refused") return [];
  const shown = [said("verify_shown_chain", { count: report.lines })];
  if (report.verdict !== "unproved") shown.push(said("verify_shown_rolls", { count: report.turns.rolls }));
  if (commitment !== undefined) shown.push(said("verify_shown_seal"));
  if (word !== undefined) shown.push(said("verify_shown_word"));
  if (head !== undefined) shown.push(said("verify_shown_head", { line: report.lines - (report.uncovered ?? 0) }));
  return shown;
}

/**
 * What nobody who has only this file can know.
 * @param {Report} report
 * @param {Seen} seen
 * @param {boolean} sealOfLink whether the seal that is compared came with the link and not from somebody's notes
 * @returns {Said[]}
 */
export function openAfter(report, seen, sealOfLink) {
  if (report.verdict === "refused") return [];
  const open = [...openOfSeal(report, seen, sealOfLink), ...openOfWord(report, seen), ...openOfRecord(report, seen)];
  if (report.opening?.rehearsal) open.push(said("verify_open_rehearsal"));
  if (report.turns.late > 0) open.push(said("verify_open_late", { count: report.turns.late }));
  return [...open, said("verify_open_spy")];
}

/**
 * @param {Report} report
 * @param {Seen} seen
 * @param {boolean} sealOfLink
 */
function openOfSeal({ opening }, { commitment }, sealOfLink) {
  const seal = groupedDigits(opening?.commitment ?? "", SEAL_GROUPS);
  const place = opening?.place ?? null;
  const number = place === null ? [] : [said("verify_open_seal_number", { number: String(place.number) })];
  if (commitment === undefined) return [said("verify_open_seal", { seal }), ...number];
  return sealOfLink ? [said("verify_open_link_seal", { seal }), ...number] : number;
}

/**
 * @param {Report} report
 * @param {Seen} seen
 */
function openOfWord({ word }, { word: heard }) {
  if (word === null || word === "") return [said("verify_open_no_word")];
  const accomplice = said("verify_open_accomplice");
  return heard === undefined ? [said("verify_open_word", { word: shownWord(word) }), accomplice] : [accomplice];
}

/**
 * @param {Report} report
 * @param {Seen} seen
 */
function openOfRecord({ uncovered }, { head }) {
  if (head === undefined) return [said("verify_open_head")];
  const after = uncovered ? [said("verify_open_after_head", { count: uncovered })] : [];
  return head.length < STRONG_DIGITS ? [...after, said("verify_open_weak_head")] : after;
}

/**
 * The first groups of digits, with spaces between.
 * @param {string} digits
 * @param {number} groups
 */
function groupedDigits(digits, groups) {
  return digits.slice(0, GROUP * groups).replace(/.{4}(?=.)/g, "$& ");
}
