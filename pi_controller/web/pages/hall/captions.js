// What the voice said last, beside the seal: whoever cannot hear it reads it. It stands until something else is said.

import { part, setData, setText, show } from "../dom.js";
import { told } from "../words.js";

export function captions() {
  return {
    /** @param {Api.Picture} picture */
    take({ sound }) {
      const said = sound?.captions ?? [];
      show(part("caption"), said.length > 0);
      setData(document.body, "caption", said.length > 0 ? "shown" : "none");
      setText(part("caption"), said.map((caption) => told("", caption)).join(" "));
    },
  };
}
