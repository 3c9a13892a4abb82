// What the controller says it has, as facts with their names. A name that has no words yet is taken as it comes.

import { hasWord, word } from "../words.js";

/**
 * @param {string} name
 * @param {unknown} value
 */
function asText(name, value) {
  if (name === "simulated") return word(value ? "hardware_simulated" : "hardware_real");
  if (name === "contacts") return word(value === "nc_no" ? "hardware_contacts_both" : "hardware_contacts_one");
  if (name === "longest_tone_ms") return word("hardware_seconds", { seconds: Number(value) / 1_000 });
  if (name === "baud") return word("baud_rate", { baud: Number(value) });
  if (value === null || value === "" || (Array.isArray(value) && value.length === 0)) return word("hardware_none");
  if (typeof value === "boolean") return word(value ? "yes" : "no");
  return Array.isArray(value) ? value.join(", ") : String(value);
}

/** @param {Api.Fitted} settings */
export function fittedFacts(settings) {
  return Object.entries(settings).map(([name, value]) => {
    const key = `hardware_fitted_${name}`;
    return { name: hasWord(key) ? word(key) : name, text: asText(name, value) };
  });
}
