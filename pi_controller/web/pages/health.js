// The first thing that is wrong with the controller, without what is said of its link to other halls.

import { told, word } from "./words.js";

const OF_LINK = ["link.another_leads", "link.divided", "link.does_not_lead_now", "link.lost", "link.may_not_lead", "link.no_leader_yet", "link.same_name"];

/**
 * Level and sentence; "" where nothing else is wrong.
 * @param {Api.HealthView} health
 */
export function firstTrouble({ level, messages, items }) {
  const [text, item] = messages.map((message, place) => /** @type {const} */ ([message, items[place]])).find(([, one]) => !OF_LINK.includes(one?.key ?? "")) ?? [];
  if (text !== undefined) return { level: item?.level ?? level, text: told(text, item) };
  return level === "ok" || messages.length > 0 ? { level: /** @type {const} */ ("ok"), text: "" } : { level, text: word(`health_${level}`) };
}
