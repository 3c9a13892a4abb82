// How a phone comes in, in a corner of the hall screen: before the start, and small in pauses. The Wi-Fi first, where the settings name one.

import { jsonOf } from "../asked.js";
import { make } from "../dom.js";
import { isReplay } from "../replay/feed.js";
import { word } from "../words.js";

const RETRY_MS = 10_000;

/** @returns {Promise<{ wifi: string | null, address: string }>} */
async function askWays() {
  for (;;) {
    const ways = await jsonOf("/api/join");
    if (ways !== null) return ways;
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

/**
 * @param {string} name
 * @param {string} text
 * @param {string} below
 */
function way(name, text, below) {
  const picture = make("img");
  picture.src = `/join/${name}.svg`;
  picture.alt = "";
  return make("figure", "join-way", [picture, make("figcaption", "", [make("b", "", text), make("span", "", below)])]);
}

async function showWays() {
  const { wifi, address } = await askWays();
  const ways = [way("phone", word(wifi === null ? "join_phone" : "join_phone_second"), address.replace(/^https?:\/\//, ""))];
  if (wifi !== null) ways.unshift(way("wifi", word("join_wifi"), wifi));
  document.body.append(make("aside", "join", ways));
  dispatchEvent(new Event("resize")); // what stands beside the codes has less room now
}

// Nobody comes into a game that is over; and the Wi-Fi with its password is for those in the hall, not for those who watch a stream.
if (!isReplay && location.pathname !== "/overlay") await showWays();
