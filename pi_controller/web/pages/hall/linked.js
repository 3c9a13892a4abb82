// How this hall stands to the others of its game: a banner over what is old, and quietly its own name.

import { part, setData, setText } from "../dom.js";
import { linkNews, sceneOf } from "../reading.js";
import { isOld, leaderText } from "../screen_texts.js";
import { linkTexts } from "../texts.js";
import { told } from "../words.js";

/**
 * What is to be done about it is for the staff, whose pages say it.
 * @param {Api.Picture} picture
 */
const troubleOrLeader = ({ link }) => (link?.role === "leader" && leaderText(link)) || told("", link?.trouble);

/**
 * Whether there is no game to show: no leading hall was ever heard, or this one does not lead and has not begun.
 * @param {Api.Picture} picture
 * @param {number} coreNow
 */
export function isUnlinked(picture, coreNow) {
  const news = linkNews(picture, coreNow);
  return news === "none" || (news === "refused" && sceneOf(picture) === "ready");
}

/**
 * What is said then in its place.
 * @param {Api.Picture} picture
 * @param {number} coreNow
 */
export function unlinkedTexts(picture, coreNow) {
  const [title = "", help = ""] = linkTexts(picture, coreNow);
  return [title, troubleOrLeader(picture) || help];
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
      const news = linkNews(picture, coreNow);
      const [said = "", ...more] = linkTexts(picture, coreNow);
      if (news === "refused") more.push(troubleOrLeader(picture));
      setData(document.body, "link", news);
      setData(document.body, "old", String(isOld(picture)));
      setText(part("link-said"), said);
      setText(part("link-more"), more.join(" · "));
    },
  };
}
