// Half-filled sheets outlive a reload of the page: they are kept in its tab, by game and claim.

/**
 * @import { Sheet } from "./count.js"
 * @import { Desk } from "../desk.js"
 */

/**
 * @param {Desk} desk
 * @param {string} claim
 */
const keyOf = (desk, claim) => ["sheet", desk.picture?.game_id, claim].join("/");

/**
 * The sheet of this claim as it was left, or null where none was begun.
 * @param {Desk} desk
 * @param {string} claim
 * @returns {Sheet | null}
 */
export function keptSheet(desk, claim) {
  return JSON.parse(sessionStorage.getItem(keyOf(desk, claim)) ?? "null");
}

/**
 * @param {Desk} desk
 * @param {string} claim
 * @param {Sheet} sheet
 */
export function keepSheet(desk, claim, sheet) {
  sessionStorage.setItem(keyOf(desk, claim), JSON.stringify(sheet));
}
