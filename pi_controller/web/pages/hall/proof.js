// The foot of every scene of a game: the seal of the dice and beside it the hall's word, for whoever notes them down.

import { part, setText } from "../dom.js";
import { groupedHex } from "../hex.js";
import { sealTitle } from "../screen_texts.js";
import { word } from "../words.js";

export const SEAL_GROUPS = 6; // 24 of 64 hexadecimal digits: enough to compare, short enough to read out
const HEAD_GROUPS = 4; // 16 of 64: no other file meets them

/**
 * `Record 3fa9 c1d2 7be0 4545`, nothing while the clock runs.
 * @param {Api.Picture} picture
 */
export function recordText(picture) {
  const head = picture.journal_head_full;
  return head === null ? "" : word("record", { head: groupedHex(head.slice(0, HEAD_GROUPS * 4)) });
}

export function proof() {
  return {
    /** @param {Api.Picture} picture */
    take(picture) {
      setText(part("proof-title"), sealTitle(picture));
      setText(part("proof-seal"), groupedHex(picture.commitment, SEAL_GROUPS));
      setText(part("proof-word"), picture.public_word ?? word("no_word_spoken"));
    },
  };
}
