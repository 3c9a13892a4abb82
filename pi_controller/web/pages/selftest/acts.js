// Sends what the technician wants of the self-test, and says what became of it.

import { part, setText, show } from "../dom.js";
import { postJson } from "../post.js";
import { word } from "../words.js";

part("answer-close").type = "button";
part("answer-close").addEventListener("click", () => show(part("answer"), false));

/**
 * Resolves with whether it was done; what was refused is said at the foot of the page.
 * @param {string} name
 * @param {object} body
 */
export async function act(name, body = {}) {
  const { status, reasons } = await postJson(`/api/selftest/${name}`, body, { unanswered: word("deedFailed") });
  const done = status === "accepted";
  setText(part("answer-text"), reasons.join(" "));
  show(part("answer"), !done);
  return done;
}
