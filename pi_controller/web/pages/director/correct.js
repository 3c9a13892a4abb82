// Undo, redo, and doing something else instead.

import { make, part, setText, show } from "../dom.js";
import { word } from "../words.js";

/**
 * @import { Tools } from "./controls.js"
 * @typedef {(typeof CHOICES)[number]} Choice
 */

const CHOICES = /** @type {const} */ (["pause", "resume", "skip", "add_time", "last_rounds", "confirmed", "rejected"]);
const WITH_NUMBER = ["add_time", "last_rounds"];

/**
 * @param {string} value
 * @param {string} text
 */
function option(value, text) {
  const element = make("option", "", text);
  element.value = value;
  return element;
}

/**
 * The replacement as the contract's {name, body}, or the key of a sentence that says what is missing.
 * @param {Choice} choice
 * @param {string} amount
 * @param {string} claim
 * @returns {Api.ReplaceBody | "needClaim" | "needNumber"}
 */
export function replacementOf(choice, amount, claim) {
  if (choice === "add_time" || choice === "last_rounds") {
    if (!/^-?\d+$/.test(amount)) return "needNumber";
    return { name: choice, body: choice === "add_time" ? { ms: Number(amount) * 1_000 } : { count: Number(amount) } };
  }
  if (choice === "confirmed" || choice === "rejected") {
    return claim === "" ? "needClaim" : { name: "verdict", body: { claim, confirmed: choice === "confirmed" } };
  }
  return { name: choice, body: {} };
}

/** @param {Tools} tools */
export function correctCard({ send, controls }) {
  const choice = part("replace-name");
  const claim = part("replace-claim");
  choice.append(...CHOICES.map((name) => option(name, word(`replace_${name}`))));
  choice.addEventListener("change", showFields);
  showFields();

  function showFields() {
    show(part("replace-amount-box"), WITH_NUMBER.includes(choice.value));
    show(part("replace-claim-box"), ["confirmed", "rejected"].includes(choice.value));
  }

  controls.bind(part("undo"), "undo", () => send("undo"));
  controls.bind(part("redo"), "redo", () => send("redo"));
  controls.bind(part("replace-go"), "undo", () => {
    const replace = replacementOf(/** @type {Choice} */ (choice.value), part("replace-amount").value, claim.value);
    const missing = typeof replace === "string";
    setText(part("replace-mistake"), missing ? word(replace) : "");
    if (!missing) send("undo", { replace });
  });

  return {
    /** @param {Api.Picture} picture */
    take(picture) {
      const chosen = claim.value;
      claim.replaceChildren(...picture.claims.map((one) => option(one.id, one.board ?? word("claimButton"))));
      if (picture.claims.some((one) => one.id === chosen)) claim.value = chosen;
    },
  };
}
