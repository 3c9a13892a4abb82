// The last actions as the controller tells them, with what undoing each would leave; asked for anew with each change of the game.

import { jsonOf } from "../../asked.js";
import { spokenLanguage, told } from "../../words.js";

/** Keeps the newest answer; `onChange()` when there is another. */
export class Actions {
  /** @type {Api.ActionsView | null} */
  known = null;
  #asked = ""; // session and number of the picture that the newest question was about
  #asking = false;

  /** @param {() => void} onChange */
  constructor(onChange) {
    this.onChange = onChange;
  }

  /**
   * Asks about this picture, if nobody has; while an answer is under way the newest picture waits for it.
   * @param {Api.Picture | null} picture
   */
  async follow(picture) {
    const key = picture === null ? this.#asked : `${picture.session}/${picture.seq}`;
    if (this.#asking || key === this.#asked) return;
    this.#asked = key;
    this.#asking = true;
    this.known = (await fetchActions()) ?? this.known;
    this.#asking = false;
    this.onChange();
  }

  /** The one that the next undo takes back, and the one that the next redo brings back. */
  get next() {
    const first = (/** @type {Api.ActionView[] | undefined} */ actions) => actions?.find(({ steps }) => steps === 1) ?? null;
    return { undo: first(this.known?.actions), redo: first(this.known?.undone) };
  }
}

/**
 * What undoing the last action would leave with this in its place; null when there is no answer.
 * @param {Api.ReplaceBody} replace
 */
export async function foreseen(replace) {
  return (await fetchActions(`?replace=${encodeURIComponent(JSON.stringify(replace))}`))?.outcome ?? null;
}

/**
 * @param {string} [query]
 * @returns {Promise<Api.ActionsView | null>}
 */
const fetchActions = (query = "") => jsonOf(`/api/actions${query}`, { headers: { "Accept-Language": spokenLanguage() } });

/**
 * What was done, in the language of the page.
 * @param {Api.ActionView} action
 */
export const saidOf = ({ text, said }) => told(text, said);
