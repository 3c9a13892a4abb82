// The page that checks games: takes files or loads a game of its controller, asks what the hall saw, shows what came out.

import { check } from "./check.js";
import { checkEvening } from "./evening.js";
import { eveningOf, resultOf } from "./result.js";
import { LANGUAGES, own, speakIn, spokenHere } from "./said.js";

/**
 * @import { WordKey } from "../words.js"
 * @import { Seen } from "./check.js"
 */

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
  speakIn(spokenHere());
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
  const answer = await fetch("/api/games").catch(() => null);
  const { games } = answer?.ok ? await answer.json() : { games: [] };
  field("games-part").hidden = games.length === 0;
  field("games").replaceChildren(...games.map(gameButton));
}

/** @param {{ game_id: string, armed_at: string }} game */
function gameButton({ game_id: game, armed_at: armed }) {
  const button = document.createElement("button");
  const moment = new Date(armed);
  button.type = "button";
  button.textContent = Number.isNaN(moment.getTime()) ? game : moment.toLocaleString(spokenHere(), { dateStyle: "medium", timeStyle: "short" });
  button.addEventListener("click", () => load(game));
  return button;
}

function offerLanguages() {
  const choice = /** @type {HTMLSelectElement} */ (field("language"));
  choice.replaceChildren(...Object.entries(LANGUAGES).map(([tag, { name }]) => new Option(name, tag, false, tag === spokenHere())));
  choice.setAttribute("aria-label", own("language"));
  choice.addEventListener("change", async () => {
    speakIn(choice.value);
    choice.setAttribute("aria-label", own("language"));
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
