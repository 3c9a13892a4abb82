// The first thing that is wrong with the controller, without what is said of its link to other halls.

import { told, word } from "./words.js";

const OF_LINK = ["link.lost", "link.no_leader_yet"];

/**
 * Level and sentence; "" where nothing else is wrong.
 * @param {Api.HealthView} health
 */
export function firstTrouble({ level, messages, items }) {
  const [text, item] = messages.map((message, place) => /** @type {const} */ ([message, items[place]])).find(([, one]) => !OF_LINK.includes(one?.key ?? "")) ?? [];
  if (text !== undefined) return { level: item?.level ?? level, text: told(text, item) };
  return level === "ok" || messages.length > 0 ? { level: /** @type {const} */ ("ok"), text: "" } : { level, text: word(`health_${level}`) };
}
