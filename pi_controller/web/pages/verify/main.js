// The page that checks games: takes files or loads a game of its controller, asks what the hall saw, shows what came out.

import { filled, formOf } from "../lib/filling.js";
import { STRONG_DIGITS, check, checkEvening } from "./check.js";
import { shownWord } from "./json.js";

/**
 * @import { Said } from "../lib/filling.js"
 * @import { WordKey } from "../lib/words.js"
 * @import { Report, Seen } from "./check.js"
 */

// The words of this page, which it carries with it in all languages: it works without any network.

/** @typedef {Readonly<Record<string, { name: string, words: Readonly<Record<string, string | string[]>> }>>} Languages */

/** @type {Languages} by their tags; the page was put together with them */
const LANGUAGES = JSON.parse(document.querySelector("#texts")?.textContent ?? "{}");
const ENGLISH = "en";

let spoken = choice();

/** `?lang=`, else the first language of this browser that the page has, else English. */
function choice() {
  const asked = new URLSearchParams(location.search).get("lang");
  const wanted = [asked ?? "", ...navigator.languages].map((tag) => tag.replace("_", "-"));
  const known = wanted.map((tag) => Object.keys(LANGUAGES).find((name) => name.toLowerCase() === tag.toLowerCase()) ?? tag.split("-")[0] ?? "");
  return known.find((tag) => Object.hasOwn(LANGUAGES, tag)) ?? ENGLISH;
}

/**
 * @param {Said} sentence
 * @returns {string}
 */
function inWords({ key, params }) {
  const text = LANGUAGES[spoken]?.words[key];
  if (text === undefined) throw new Error(`no words for ${key}`);
  return filled(formOf(text, params.count, spoken), params, spoken, inWords);
}

/**
 * A text of the page's own that names nothing.
 * @param {WordKey} key
 */
function own(key) {
  return inWords({ key: `page.${key}`, params: {} });
}

// What a check has shown and what it has not, for people who were in the hall. Pure.

const GROUP = 4; // digits side by side, as the screens write them
const SEAL_GROUPS = 6;

/**
 * @param {WordKey} key
 * @param {Said["params"]} params
 * @returns {Said}
 */
const said = (key, params = {}) => ({ key: `page.${key}`, params });

/**
 * The verdict in a word or two, and what it means.
 * @param {Report} report
 */
function verdictOf({ verdict, turns, opening }) {
  if (verdict === "refused") return { title: said("verify_refused"), means: said("verify_refused_means") };
  if (verdict === "unproved") return { title: said("verify_not_yet"), means: said("verify_not_yet_means") };
  if (verdict === "partly") return { title: said("verify_passed_partly"), means: said("verify_passed_partly_means") };
  if (opening?.rehearsal) return { title: said("verify_passed_rehearsal"), means: said("verify_passed_rehearsal_means") };
  return { title: said(turns.late > 0 ? "verify_passed_late" : "verify_passed"), means: said("verify_passed_means") };
}

/**
 * Nothing of a file that does not pass.
 * @param {Report} report
 * @param {Seen} seen
 * @returns {Said[]}
 */
function shownBy(report, { commitment, head, word }) {
  if (report.verdict === "refused") return [];
  const shown = [said("verify_shown_chain", { count: report.lines })];
  if (report.verdict !== "unproved") shown.push(said("verify_shown_rolls", { count: report.turns.rolls }));
  if (commitment !== undefined) shown.push(said("verify_shown_seal"));
  if (word !== undefined) shown.push(said("verify_shown_word"));
  if (head !== undefined) shown.push(said("verify_shown_head", { line: report.lines - (report.uncovered ?? 0) }));
  return shown;
}

/**
 * What nobody who has only this file can know.
 * @param {Report} report
 * @param {Seen} seen
 * @param {boolean} sealOfLink whether the seal that is compared came with the link and not from somebody's notes
 * @returns {Said[]}
 */
function openAfter(report, seen, sealOfLink) {
  if (report.verdict === "refused") return [];
  const open = [...openOfSeal(report, seen, sealOfLink), ...openOfWord(report, seen), ...openOfRecord(report, seen)];
  if (report.opening?.rehearsal) open.push(said("verify_open_rehearsal"));
  if (report.turns.late > 0) open.push(said("verify_open_late", { count: report.turns.late }));
  return [...open, said("verify_open_spy")];
}

/**
 * @param {Report} report
 * @param {Seen} seen
 * @param {boolean} sealOfLink
 */
function openOfSeal({ opening }, { commitment }, sealOfLink) {
  const seal = groupedDigits(opening?.commitment ?? "", SEAL_GROUPS);
  const place = opening?.place ?? null;
  const number = place === null ? [] : [said("verify_open_seal_number", { number: String(place.number) })];
  if (commitment === undefined) return [said("verify_open_seal", { seal }), ...number];
  return sealOfLink ? [said("verify_open_link_seal", { seal }), ...number] : number;
}

/**
 * @param {Report} report
 * @param {Seen} seen
 */
function openOfWord({ word }, { word: heard }) {
  if (word === null || word === "") return [said("verify_open_no_word")];
  const accomplice = said("verify_open_accomplice");
  return heard === undefined ? [said("verify_open_word", { word: shownWord(word) }), accomplice] : [accomplice];
}

/**
 * @param {Report} report
 * @param {Seen} seen
 */
function openOfRecord({ uncovered }, { head }) {
  if (head === undefined) return [said("verify_open_head")];
  const after = uncovered ? [said("verify_open_after_head", { count: uncovered })] : [];
  return head.length < STRONG_DIGITS ? [...after, said("verify_open_weak_head")] : after;
}

/**
 * The first groups of digits, with spaces between.
 * @param {string} digits
 * @param {number} groups
 */
function groupedDigits(digits, groups) {
  return digits.slice(0, GROUP * groups).replace(/.{4}(?=.)/g, "$& ");
}

// One checked file on the page: the verdict, what it shows and what not, and every sentence of the check.

const LONGEST_SENTENCE = 1000; // a sentence quotes from the file, which may be anything
const SIGNS = { proved: "✓", partly: "…", unproved: "…", refused: "✕" };

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {string} text
 * @param {Node[]} children
 */
function element(tag, text, children = []) {
  const made = document.createElement(tag);
  made.append(...(text === "" ? [] : [text]), ...children);
  return made;
}

/** @param {Said} sentence */
function item(sentence) {
  const made = element("li", Array.from(inWords(sentence)).slice(0, LONGEST_SENTENCE).join(""));
  made.dataset.key = sentence.key;
  return made;
}

/**
 * @param {string} title
 * @param {Said[]} sentences
 */
function part(title, sentences) {
  return sentences.length === 0 ? [] : [element("h3", title), element("ul", "", sentences.map(item))];
}

/**
 * @param {string} name of the file, empty where it is the only one
 * @param {Report} report
 * @param {Seen} seen
 * @param {boolean} sealOfLink
 */
function resultOf(name, report, seen, sealOfLink) {
  const { title, means } = verdictOf(report);
  const verdict = inWords(title);
  const sign = element("span", SIGNS[report.verdict]);
  sign.setAttribute("aria-hidden", "true");
  const article = element("article", "", [
    ...(name === "" ? [] : [element("p", name)]),
    element("h2", "", [sign, new Text(verdict)]),
    element("p", inWords(means)),
    ...(report.verdict === "refused" ? [element("ul", "", report.sentences.slice(-1).map(item))] : []),
    ...part(own("verify_shown"), shownBy(report, seen)),
    ...part(own("verify_open"), openAfter(report, seen, sealOfLink)),
    element("details", "", [element("summary", own("verify_details")), element("ol", "", report.sentences.map(item)), element("p", own("verify_details_same"))]),
  ]);
  article.dataset.verdict = report.verdict;
  if (report.turns.late > 0 || report.opening?.rehearsal) article.dataset.late = "";
  return { title: verdict, article };
}

/**
 * What several games show together: which seals of their evening they have, and which are missing.
 * @param {{ whole: boolean, sentences: Said[] }} found
 */
function eveningOf({ whole, sentences }) {
  const made = element("aside", "", part(own("verify_evening"), sentences));
  made.dataset.whole = String(whole);
  return made;
}

const LONGEST_PAUSE_MS = 200; // the page stays alive between two files of many
const served = location.protocol !== "file:";
const query = new URLSearchParams(location.search);
const sealOfLink = location.hash.slice(1).toLowerCase();
/** @type {{ name: string, bytes: Uint8Array }[]} */
let files = [];
let loads = 0; // counts them, so that a late one does not come over a newer one

/** @param {string} name */
function field(name) {
  const found = document.querySelector(`[data-is="${name}"]`);
  if (!(found instanceof HTMLElement)) throw new Error(`the page has no part ${name}`);
  return found;
}

/** @param {string} name */
function input(name) {
  return /** @type {HTMLInputElement} */ (field(name));
}

function sayAll() {
  document.documentElement.lang = spoken;
  field("language").setAttribute("aria-label", own("language"));
  document.title = own("verify_title");
  for (const place of document.querySelectorAll("[data-word]")) place.textContent = own(/** @type {WordKey} */ (/** @type {HTMLElement} */ (place).dataset.word));
}

/** Digits as somebody types or copies them: spaces between groups, capital letters. */
const digitsIn = (/** @type {string} */ name) => input(name).value.replace(/\s+/g, "").toLowerCase();

/**
 * What the form says; null when digits are none, which it shows.
 * @returns {Seen | null}
 */
function seen() {
  const [commitment, head] = [digitsIn("seal"), digitsIn("head")];
  const wrong = { seal: commitment !== "" && !/^[0-9a-f]{16,64}$/.test(commitment), head: head !== "" && !/^[0-9a-f]{8,64}$/.test(head) };
  for (const [name, is] of Object.entries(wrong)) input(name).setAttribute("aria-invalid", String(is));
  if (wrong.seal || wrong.head) return null;
  const word = input("word").value;
  const heard = input("no-word").checked ? "" : word.trim() === "" ? undefined : word;
  return { ...(commitment && { commitment }), ...(head && { head }), ...(heard !== undefined && { word: heard }) };
}

async function checkAll() {
  const given = seen();
  if (given === null) return void document.querySelector("[aria-invalid=true]")?.scrollIntoView({ block: "center" });
  loads += 1;
  const mine = loads;
  const place = field("results");
  place.replaceChildren();
  field("status").textContent = files.length > 0 ? own("verify_busy") : "";
  field("status").classList.toggle("spoken", false);
  const counts = new Map();
  const reports = [];
  let drawn = performance.now();
  for (const { name, bytes } of files) {
    const report = check(bytes, given);
    const { title, article } = resultOf(files.length > 1 ? name : "", report, given, digitsIn("seal") === sealOfLink);
    place.append(article);
    reports.push(report);
    counts.set(title, (counts.get(title) ?? 0) + 1);
    if (performance.now() - drawn < LONGEST_PAUSE_MS) continue;
    await new Promise((done) => setTimeout(done));
    if (mine !== loads) return;
    drawn = performance.now();
  }
  const evening = checkEvening(reports);
  if (files.length > 1 && evening.sentences.length > 0) place.append(eveningOf(evening));
  field("status").classList.toggle("spoken", files.length === 1); // its verdict stands below in large letters
  field("status").textContent = [...counts].map(([title, count]) => (files.length > 1 ? `${title}: ${count}` : title)).join(" · ");
  field("again").hidden = !query.has("game") || place.querySelector("[data-verdict=unproved]") === null;
}

/** @param {FileList | null} chosen */
async function takeFiles(chosen) {
  files = await Promise.all(Array.from(chosen ?? [], async (file) => ({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) })));
  await checkAll();
}

/** @param {string} game */
async function load(game) {
  field("status").textContent = own("verify_busy");
  const answer = await fetch(`/api/games/${encodeURIComponent(game)}/export`, { cache: "no-store" }).catch(() => null);
  const body = answer?.ok ? await answer.arrayBuffer().catch(() => null) : null;
  field("again").hidden = body !== null;
  if (body === null) {
    field("results").replaceChildren();
    field("status").textContent = own("verify_not_loaded");
    return;
  }
  files = [{ name: game, bytes: new Uint8Array(body) }];
  await checkAll();
}

/** The controller that this page came from has games, too; where it does not say so, there are files. */
async function offerGames() {
  const { games } = await fetch("/api/games").then((answer) => (answer.ok ? answer.json() : { games: [] })).catch(() => ({ games: [] }));
  field("games-part").hidden = games.length === 0;
  field("games").replaceChildren(...games.map(gameButton));
}

/** @param {{ game_id: string, armed_at: string }} game */
function gameButton({ game_id: game, armed_at: armed }) {
  const button = document.createElement("button");
  const moment = new Date(armed);
  button.type = "button";
  button.textContent = Number.isNaN(moment.getTime()) ? game : moment.toLocaleString(spoken, { dateStyle: "medium", timeStyle: "short" });
  button.addEventListener("click", () => load(game));
  return button;
}

function offerLanguages() {
  const choice = /** @type {HTMLSelectElement} */ (field("language"));
  choice.replaceChildren(...Object.entries(LANGUAGES).map(([tag, { name }]) => new Option(name, tag, false, tag === spoken)));
  choice.addEventListener("change", async () => {
    spoken = choice.value;
    sayAll();
    await checkAll();
  });
}

sayAll();
offerLanguages();
input("files").addEventListener("change", () => takeFiles(input("files").files));
field("seen").addEventListener("submit", (event) => {
  event.preventDefault();
  checkAll();
});
field("again").addEventListener("click", () => load(query.get("game") ?? ""));
input("seal").value = sealOfLink;
field("save").hidden = !served;
if (served && query.has("game")) load(query.get("game") ?? "");
else if (served) offerGames();
