// The newest answer, next to the thumb: a short word when accepted, the sentences when not.

import { part, setText, show } from "../dom.js";
import { sceneOf } from "../reading.js";
import { word } from "../words.js";

export function answerBox({ send }, commander) {
  const box = part("answer");
  let openClaims = false;
  let scene = null;
  let refusedIn = null;
  let unfit = false;
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
  part("override").addEventListener("click", () => send(overridden, { override: true }));

  function overridable(name) {
    return (name === "resume" && openClaims) || (name === "start" && unfit);
  }

  return {
    take(picture) {
      openClaims = picture.claims.some((claim) => claim.status === "open");
      scene = sceneOf(picture);
      if (scene !== refusedIn) show(box, false);
      unfit = picture.health.level === "fault";
      if (overridden !== null && !overridable(overridden)) show(part("override"), false);
    },
  };
}
