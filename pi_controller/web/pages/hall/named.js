// The name of this screen, or its code while the director has not admitted it.

import { make, setText, show } from "../dom.js";
import { word } from "../words.js";

/** @import { ScreenLink } from "../screen.js" */

/** @param {ScreenLink} screen */
export function screenName(screen) {
  const [code, name] = [make("p", "screen-code"), make("p", "screen-name")];
  document.body.append(code, make("div", "screen-name-box", [name]));
  return {
    /**
     * @param {Api.Picture | null} picture
     * @param {number | null} coreNow
     */
    frame(picture, coreNow) {
      show(code, screen.code !== "");
      setText(code, screen.code === "" ? "" : word("screen_code", { code: screen.code }));
      const identify = picture?.identify ?? null;
      const meant = identify !== null && coreNow !== null && coreNow < identify.until_ms && identify.screen?.toLowerCase() === screen.name.toLowerCase();
      const named = screen.name !== "" && (screen.showsName || meant);
      document.body.classList.toggle("names-itself", named);
      setText(name, named ? screen.name : "");
    },
  };
}
