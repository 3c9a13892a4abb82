// The one control that is always under the thumb: Start, Pause or Resume. The space key only ever pauses.

import { part, setSymbol, setText, show, symbol } from "../dom.js";
import { sceneOf } from "../reading.js";
import { word } from "../words.js";

/**
 * @import { FeedState } from "../feed.js"
 * @import { WordKey } from "../words.js"
 * @import { Tools } from "./controls.js"
 * @typedef {{ name: "pause" | "resume" | "start" | null, label: WordKey, icon: string }} Mode
 */

/** @satisfies {Record<string, Mode>} */
const MODES = {
  ready: { name: "start", label: "start", icon: "play" },
  play: { name: "pause", label: "pause", icon: "pause" },
  countin: { name: "pause", label: "freezeAgain", icon: "pause" },
  pause: { name: "resume", label: "resume", icon: "play" },
  ended: { name: null, label: "gameOver", icon: "wreath" },
};
/** @type {Mode} */
const LOST = { name: "pause", label: "pause", icon: "pause" };

/** @param {Tools} tools */
export function primary({ send }) {
  const button = part("primary");
  const icon = part("primary-symbol").appendChild(symbol("pause"));
  let mode = LOST;

  async function give() {
    if (mode.name === null) return;
    button.classList.add("waiting");
    await send(mode.name);
    button.classList.remove("waiting");
  }

  /** @param {KeyboardEvent} event */
  function pauseBySpace(event) {
    if (event.code !== "Space" || isTyping(event.target)) return;
    event.preventDefault();
    if (!event.repeat && mode.name === "pause") give();
  }

  button.type = "button";
  button.addEventListener("click", give);
  document.addEventListener("keydown", pauseBySpace);
  document.addEventListener("keyup", (event) => {
    if (event.code === "Space" && !isTyping(event.target)) event.preventDefault();
  });

  return {
    take() {},
    /**
     * @param {Api.Picture | null} picture
     * @param {FeedState} state
     */
    refresh(picture, state) {
      mode = state === "fresh" && picture !== null ? MODES[sceneOf(picture)] : LOST;
      button.dataset.mode = mode.name ?? "none";
      button.disabled = mode.name === null;
      setText(part("primary-label"), word(mode.label));
      setSymbol(icon, mode.icon);
      show(part("primary-key"), mode.name === "pause");
    },
  };
}

/** @param {EventTarget | null} target */
function isTyping(target) {
  return target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && target.type !== "checkbox");
}
