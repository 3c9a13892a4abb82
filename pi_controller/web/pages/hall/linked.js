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
     * A leader that is refused plays on: what there is to do stands on the staff's pages.
     * @param {Api.Picture} picture
     * @param {number} coreNow
     */
    frame(picture, coreNow) {
      const news = linkNews(picture, coreNow);
      const [said = "", ...more] = news === "refused" ? [] : linkTexts(picture, coreNow);
      setData(document.body, "link", news === "refused" ? "" : news);
      setData(document.body, "old", String(picture.link !== null && picture.link.lost_ms !== null));
      setText(part("link-said"), said);
      setText(part("link-more"), more.join(" · "));
    },
  };
}
