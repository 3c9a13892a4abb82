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
  let openClaims = false;
  /** @type {Scene | null} */
  let scene = null;
  /** @type {Scene | null} */
  let refusedIn = null;
  let unfit = false;
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
    return (name === "resume" && openClaims) || (name === "start" && unfit);
  }

  return {
    /** @param {Api.Picture} picture */
    take(picture) {
      openClaims = picture.claims.some((claim) => claim.status === "open");
      scene = sceneOf(picture);
      if (scene !== refusedIn) show(box, false);
      unfit = picture.health.level === "fault";
      if (overridden !== null && !overridable(overridden)) show(part("override"), false);
    },
  };
}
