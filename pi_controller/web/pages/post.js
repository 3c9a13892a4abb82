// Sends JSON and reads the answer that commands, actions and rosters have in common.

import { word } from "./words.js";

/**
 * @typedef {{ accepted?: unknown, reasons?: unknown, error?: unknown }} Answer
 * @typedef {{ status: "accepted" | "failed" | "refused" | "unsaved", reasons: string[] }} Outcome
 */

const PATIENCE_MS = 10_000;
/** @type {Record<number, Outcome["status"]>} */
const STATUSES = { 503: "failed", 507: "unsaved" };
/** @type {Record<number, "answer401" | "answer403" | "answer503">} */
const SENTENCES = { 401: "answer401", 403: "answer403", 503: "answer503" };

/** @param {number} status */
function sentenceFor(status) {
  const key = SENTENCES[status];
  return key === undefined ? word("answerOther", { status }) : word(key);
}

/** @param {Answer} answer */
function told(answer) {
  if (Array.isArray(answer.reasons) && answer.reasons.length > 0) return answer.reasons.map(String);
  return typeof answer.error === "string" ? [answer.error] : [];
}

/**
 * @param {Response} response
 * @returns {Promise<Outcome>}
 */
async function read(response) {
  const isJson = response.headers.get("content-type")?.includes("application/json") ?? false;
  const answer = isJson ? await response.json() : {};
  const accepted = response.ok && answer.accepted === true;
  const theirs = told(answer);
  const ours = response.status in SENTENCES || (!accepted && theirs.length === 0);
  const reasons = ours ? [sentenceFor(response.status)] : theirs;
  return { status: accepted ? "accepted" : (STATUSES[response.status] ?? "refused"), reasons };
}

/**
 * {status: accepted | refused | unsaved | failed, reasons: sentences}; `unsaved`: done, but not on the disk;
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
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    return await read(response);
  } catch (problem) {
    if (!(problem instanceof TypeError || problem instanceof DOMException)) throw problem;
    return { status: "failed", reasons: [unanswered] };
  }
}
