// What the controller says it has, as pairs of texts. A name that has no words yet is taken as it comes.

import { hasWord, word } from "../words.js";

const SAID = {
  simulated: (value) => word(value ? "hwSimulated" : "hwReal"),
  contacts: (value) => word(value === "nc_no" ? "hwContactsBoth" : "hwContactsOne"),
  longest_tone_ms: (value) => word("hwSeconds", { n: value / 1_000 }),
  baud: (value) => word("baudRate", { n: value.toLocaleString("en") }),
};

function asText(value) {
  if (value === null || value.length === 0) return word("hwNone");
  if (typeof value === "boolean") return word(value ? "yes" : "no");
  return Array.isArray(value) ? value.join(", ") : String(value);
}

export function fittedPairs(settings) {
  return Object.entries(settings).map(([name, value]) => {
    const key = `hwFitted_${name}`;
    return [hasWord(key) ? word(key) : name, SAID[name]?.(value) ?? asText(value)];
  });
}
