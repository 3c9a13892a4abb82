// What a claim sheet comes to: points, and what two players of a board cannot both hold. Pure: no DOM, no words.

/**
 * @typedef {Required<Omit<Api.SheetBody, "resources">> & { resources: Record<Resource, number> }} Sheet
 * @typedef {(typeof FLAGS)[number]} Flag
 * @typedef {(typeof RESOURCES)[number]} Resource
 */

export const FLAGS = /** @type {const} */ (["foreign_left", "foreign_right", "largest_army", "longest_route"]);
export const RESOURCES = /** @type {const} */ (["grain", "ore", "brick", "lumber", "wool"]);
const CONTESTED = /** @type {const} */ (["largest_army", "longest_route"]);

/**
 * The sheet of a player at the beginning of a game: 4 points, or 2 where nobody begins with a city.
 * @returns {Sheet}
 */
export function newSheet(cities = 1) {
  return {
    settlements: 2,
    cities,
    foreign_left: false,
    foreign_right: false,
    victory_cards: 0,
    largest_army: false,
    longest_route: false,
    resources: { grain: 0, ore: 0, brick: 0, lumber: 0, wool: 0 },
  };
}

/**
 * Points of a sheet: settlement 1, city 2, card 1, and 2 for each foreign direction, army and route.
 * @param {Sheet} sheet
 */
export function pointsOf(sheet) {
  const flags = FLAGS.filter((name) => sheet[name]).length;
  return sheet.settlements + 2 * sheet.cities + sheet.victory_cards + 2 * flags;
}

/**
 * The steps of the tie-break with what this sheet has in each, in the order in which they decide.
 * @param {Sheet} sheet
 */
export function ladderOf(sheet) {
  const cards = RESOURCES.map((name) => /** @type {const} */ ([name, sheet.resources[name]]));
  const total = cards.reduce((sum, [, count]) => sum + count, 0);
  return /** @type {const} */ ([["points", pointsOf(sheet)], ["resources", total], ...cards]);
}

/** The sheets that are filled in on this page, by claim. */
export class Drafts {
  /** @type {Map<string, Sheet>} */
  sheets = new Map();
  /** @type {Map<string, string | null>} */
  #boards = new Map();

  /**
   * The claims that there are now; the sheets of others are thrown away.
   * @param {Pick<Api.ClaimView, "board" | "id">[]} claims
   */
  take(claims) {
    this.#boards = new Map(claims.map(({ id, board }) => [id, board]));
    for (const id of this.sheets.keys()) if (!this.#boards.has(id)) this.sheets.delete(id);
  }

  /**
   * A claim's sheet; when none was begun `kept`, or a new one.
   * @param {string} id
   * @param {Sheet | null} [kept]
   * @param {number} [cities] of a new one
   */
  sheetOf(id, kept = null, cities = 1) {
    const sheet = this.sheets.get(id) ?? kept ?? newSheet(cities);
    this.sheets.set(id, sheet);
    return sheet;
  }

  /**
   * Army or route where another claim of the same board has it, too, among these sheets.
   * @param {string} id
   */
  heldByBoth(id) {
    const board = this.#boards.get(id) ?? null;
    if (board === null) return [];
    const mine = this.sheets.get(id);
    const rivals = [...this.sheets].filter(([other]) => other !== id && this.#boards.get(other) === board);
    return CONTESTED.filter((name) => mine?.[name] && rivals.some(([, sheet]) => sheet[name]));
  }
}
