// The languages of the hall in turn, and the sign that says which one stands.

import { make, part } from "../dom.js";
import { languages, speak, spokenLanguage } from "../words.js";

function showSign() {
  if (languages.length < 2) return;
  part("languages").replaceChildren(...languages.map((language) => make("span", language === spokenLanguage() ? "spoken" : "", language.toUpperCase())));
}

/**
 * Called with each picture: speaks its language, and returns whether the words are others than before. A screen that somebody has opened in a language of its own
 * has no other texts, and stays.
 */
export function languageTurns() {
  let play = "";
  showSign();
  return (/** @type {Api.Picture} */ picture) => {
    const before = play;
    play = picture.rules.play;
    if (picture.language === spokenLanguage() || !speak(picture.language)) return play !== before;
    showSign();
    return true;
  };
}
