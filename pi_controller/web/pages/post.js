// Sends JSON and reads the answer that commands, actions and rosters have in common.

import { allTold, spokenLanguage, told, word } from "./words.js";

/**
 * @import { Said } from "./filling.js"
 * @typedef {{ accepted?: unknown, seq?: unknown, reasons?: unknown, reason_keys?: Said[] | null, error?: unknown }} Answer
 * @typedef {{ status: "accepted" | "failed" | "refused" | "unsaved", reasons: string[], seq?: number }} Outcome
 */

const PATIENCE_MS = 10_000;
/** @type {Record<number, Outcome["status"]>} */
const STATUSES = { 503: "failed", 507: "unsaved" };
/** @type {Record<number, "answer_401" | "answer_503">} */
const SENTENCES = { 401: "answer_401", 503: "answer_503" };

/** @param {number} status */
function sentenceFor(status) {
  const key = SENTENCES[status];
  return key === undefined ? word("answer_other", { status }) : word(key);
}

/** @param {Answer} answer */
function sentencesOf(answer) {
  if (Array.isArray(answer.reasons) && answer.reasons.length > 0) return allTold(answer.reasons.map(String), answer.reason_keys);
  return typeof answer.error === "string" ? [told(answer.error, answer.reason_keys?.[0])] : [];
}

/**
 * @param {Response} response
 * @returns {Promise<Outcome>}
 */
async function read(response) {
  const isJson = response.headers.get("content-type")?.includes("application/json") ?? false;
  const answer = isJson ? await response.json() : {};
  const accepted = response.ok && answer.accepted === true;
  const theirs = sentencesOf(answer);
  const ours = response.status in SENTENCES || (!accepted && theirs.length === 0);
  const reasons = ours ? [sentenceFor(response.status)] : theirs;
  return { status: accepted ? "accepted" : (STATUSES[response.status] ?? "refused"), reasons, ...(typeof answer.seq === "number" ? { seq: answer.seq } : {}) };
}

/**
 * {status: accepted | refused | unsaved | failed, reasons: sentences, seq: of the picture after it}; `unsaved`: done, but not on the disk;
 * `failed`: it is not known whether it arrived.
 * @param {string} path
 * @param {unknown} body
 * @param {{ headers?: Record<string, string>, unanswered: string }} options
 * @returns {Promise<Outcome>}
 */
export async function postJson(path, body, { headers = {}, unanswered }) {
  try {
    const response = await fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json", "Accept-Language": spokenLanguage(), ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    return await read(response);
  } catch (problem) {
    if (!(problem instanceof TypeError || problem instanceof DOMException)) throw problem;
    return { status: "failed", reasons: [unanswered] };
  }
}
