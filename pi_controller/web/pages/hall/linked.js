// How this hall stands to the others of its game: a banner over what is old, and quietly its own name.

import { part, setData, setText } from "../dom.js";
import { linkNews } from "../reading.js";
import { linkTexts } from "../texts.js";
import { told } from "../words.js";

/** @param {Api.Picture} picture */
const troubleText = ({ link }) => told("", link?.trouble);

/**
 * What is said in place of a game where no leading hall was ever heard: there is none yet.
 * @param {Api.Picture} picture
 * @param {number} coreNow
 */
export function unlinkedTexts(picture, coreNow) {
  const [title = "", help = ""] = linkTexts(picture, coreNow);
  return [title, troubleText(picture) || help];
}

export function linkBanner() {
  return {
    /** @param {Api.Picture} picture */
    take({ link }) {
      setText(part("hall-name"), link?.hall ?? "");
    },
    /**
     * @param {Api.Picture} picture
     * @param {number} coreNow
     */
    frame(picture, coreNow) {
      const [said = "", ...more] = linkTexts(picture, coreNow);
      setData(document.body, "link", linkNews(picture, coreNow));
      setData(document.body, "old", String(picture.link !== null && picture.link.lost_ms !== null));
      setText(part("link-said"), said);
      const rest = said === "" ? "" : [...more, troubleText(picture)].filter(Boolean).join(" · ");
      setText(part("link-more"), rest);
    },
  };
}
