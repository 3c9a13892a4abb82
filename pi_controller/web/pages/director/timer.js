// The free countdown for doors and breaks.

import { part, show } from "../dom.js";

/** @import { Tools } from "./controls.js" */

/** @param {Tools} tools */
export function timerCard({ send, controls }) {
  controls.bind(part("timer-start"), "timer", () => {
    const minutes = part("timer-minutes");
    if (!minutes.reportValidity() || minutes.value === "") return;
    send("timer", { label: part("timer-label").value, seconds: Number(minutes.value) * 60 });
  });
  controls.bind(part("timer-stop"), "timer", () => send("timer", { stop: true }));
  return {
    /** @param {Api.Picture} picture */
    take(picture) {
      show(part("timer-stop"), picture.timer !== null);
    },
  };
}
