// The newest answer, next to the thumb: a short word when accepted, the sentences when not.

import { part, setText, show } from "../dom.js";
import { sceneOf } from "../reading.js";
import { word } from "../words.js";

/**
 * @import { Commander } from "./commander.js"
 * @import { Scene } from "../reading.js"
 * @import { Tools } from "./controls.js"
 */

/**
 * @param {Tools} tools
 * @param {Commander} commander
 */
export function answerBox({ send }, commander) {
  const box = part("answer");
  /** @type {Api.Picture["allowed"]} */
  let allowed = {};
  /** @type {Scene | null} */
  let scene = null;
  /** @type {Scene | null} */
  let refusedIn = null;
  /** @type {"resume" | "start" | null} */
  let overridden = null;

  commander.listen((entry) => {
    if (entry !== commander.entries[0]) return;
    const undone = entry.status === "refused" || entry.status === "failed";
    setText(part("last-line"), `${entry.name}: ${word(entry.status)}`);
    part("last-line").dataset.status = entry.status;
    setText(part("answer-text"), entry.reasons.join(" "));
    show(box, undone || entry.status === "unsaved");
    refusedIn = scene;
    overridden = undone && overridable(entry.name) ? entry.name : null;
    show(part("override"), overridden !== null);
    setText(part("override"), word(overridden === "start" ? "overrideStart" : "override"));
  });
  part("answer-close").addEventListener("click", () => show(box, false));
  part("override").addEventListener("click", () => overridden !== null && send(overridden, { override: true }));

  /**
   * @param {string} name
   * @returns {name is "resume" | "start"}
   */
  function overridable(name) {
    return (name === "resume" || name === "start") && allowed[name]?.override === true;
  }

  return {
    /** @param {Api.Picture} picture */
    take(picture) {
      allowed = picture.allowed;
      scene = sceneOf(picture);
      if (scene !== refusedIn) show(box, false);
      if (overridden !== null && !overridable(overridden)) show(part("override"), false);
    },
  };
}
