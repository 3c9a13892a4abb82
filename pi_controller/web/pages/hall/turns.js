// The languages of the hall in turn, and the sign that says which one stands.

import { make, part } from "../dom.js";
import { languages, speak, spokenLanguage } from "../words.js";
import { languageOf } from "./turn.js";

function showSign() {
  if (languages.length < 2) return;
  part("languages").replaceChildren(...languages.map((language) => make("span", language === spokenLanguage() ? "spoken" : "", language.toUpperCase())));
}

/** Called with each picture: speaks its language, and returns whether that is another one than before. */
export function languageTurns() {
  showSign();
  return (/** @type {Api.Picture} */ picture) => {
    const language = languageOf(picture, languages);
    if (language === spokenLanguage() || !speak(language)) return false;
    showSign();
    return true;
  };
}
