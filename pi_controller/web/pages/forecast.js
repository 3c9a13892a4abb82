// When the game will probably end, by the wall clock. Pure but for that clock.

import { wallOf } from "./clock.js";

/**
 * From when to when the end is to be expected, as moments of the wall clock; while play is paused they move on with it. Null where the end is
 * not to be foreseen, and until it is known what core's clock shows now.
 * @param {Pick<Api.Picture, "as_of_ms" | "forecast" | "rate" | "running">} picture
 * @param {number | null} coreNow
 */
export function forecastWall({ as_of_ms: seenAt, forecast, rate, running }, coreNow) {
  const from = wallOf(running ? seenAt : (coreNow ?? 0), coreNow);
  return forecast === null || from === null ? null : { earliest: from + forecast.earliest_ms / rate, latest: from + forecast.latest_ms / rate };
}
