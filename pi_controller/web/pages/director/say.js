// The director's line on all screens, and the hall's public word.

import { make, part, setText, show } from "../dom.js";
import { word } from "../words.js";

/** @import { Tools } from "./controls.js" */

const LENGTHS = /** @type {const} */ ([
  ["", "sayUntil"],
  ["15", "sayFor15"],
  ["60", "sayFor60"],
]);

/** @param {Tools} tools */
export function sayCard({ send, controls }) {
  const text = part("say-text");
  const length = part("say-for");
  for (const [value, key] of LENGTHS) {
    const option = make("option", "", word(key));
    option.value = value;
    length.append(option);
  }

  /** @param {string} line */
  function say(line) {
    if (line.trim() === "") return text.focus();
    send("say", length.value === "" ? { text: line } : { text: line, seconds: Number(length.value) });
  }

  for (const line of word("prepared")) {
    const button = make("button", "", line);
    part("prepared").append(button);
    controls.bind(button, "say", () => say(line));
  }
  controls.bind(part("say"), "say", () => say(text.value));
  controls.bind(part("unsay"), "say", () => send("say", { text: "" }));
  controls.bind(part("word-go"), "contribute", () => {
    const spoken = part("word-text").value;
    if (spoken.trim() === "") return part("word-text").focus();
    send("contribute", { text: spoken });
  });

  return {
    /** @param {Api.Picture} picture */
    take(picture) {
      show(part("unsay"), picture.message !== null);
      show(part("word-card"), picture.phase === "ready" || picture.public_word !== null);
      const spoken = picture.public_word;
      setText(part("word-now"), spoken === null ? word("noWord") : word("wordNow", { text: spoken }));
    },
  };
}
