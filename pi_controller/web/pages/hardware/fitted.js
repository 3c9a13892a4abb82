// What the controller says it has, as pairs of texts. Its names are taken as they come: a new one needs no page.

import { word } from "../words.js";

function asText(value) {
  if (value === null) return word("hwUnwired");
  if (typeof value === "boolean") return word(value ? "yes" : "no");
  if (Array.isArray(value)) return value.map(asText).join(", ");
  return String(value);
}

export function fittedPairs(settings) {
  return Object.entries(settings).map(([name, value]) => [name.replaceAll("_", " "), asText(value)]);
}
