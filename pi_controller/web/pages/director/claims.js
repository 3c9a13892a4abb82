// Claims in press order, each with its verdict and its sheet; entering one by hand.

import { make, part, setText, show, symbol } from "../dom.js";
import { colourOf } from "../reading.js";
import { word } from "../words.js";
import { sideName } from "../hall/play.js";
import { sheetForm } from "./sheet.js";

/**
 * @import { WordKey } from "../words.js"
 * @import { Tools } from "./controls.js"
 * @import { Drafts } from "./count.js"
 * @typedef {"moon" | "sun"} Side
 */

/** @type {readonly Side[]} */
const SIDES = ["sun", "moon"];

/** @param {Api.ClaimView} claim */
function whoText(claim) {
  const who = make("span", "claim-who", claim.board === null ? word("claimButton") : word("claimBoard", { board: claim.board }));
  if (claim.side === null) return who;
  const colour = colourOf(claim.side);
  who.append(symbol(colour === "neutral" ? "hex" : colour), make("span", "", sideName(claim.side)));
  return who;
}

/**
 * @param {Api.ClaimView} claim
 * @param {string} where
 */
function factsText(claim, where) {
  const seconds = (claim.pressed_ms_before_end / 1_000).toFixed(3);
  const facts = [word("claimMoment", { round: claim.round, seconds }), word(`claim_${claim.status}`)];
  if (where !== "") facts.unshift(where);
  if (!claim.on_active_side) facts.push(word("notActive"));
  if (claim.count > 1) facts.push(word("claimCount", { n: claim.count }));
  if (claim.points !== null) facts.push(word("claimPoints", { n: claim.points }));
  return facts.join(" · ");
}

/** One claim's line; it lives as long as the claim, so that a half-filled sheet is kept. */
class ClaimLine {
  /**
   * @param {Api.ClaimView} claim
   * @param {Tools} tools
   * @param {Drafts} drafts
   */
  constructor(claim, tools, drafts) {
    this.element = make("li", "claim");
    this.head = make("div", "claim-head");
    this.facts = make("p", "hint");
    this.actions = make("div", "row");
    this.place = make("div");
    this.element.append(this.head, this.facts, this.actions, this.place);
    this.claim = claim;
    this.targetPoints = 0; // until the first picture
    this.tools = tools;
    this.drafts = drafts;
    /** @type {HTMLElement | null} */
    this.sheet = null;
    const { send } = tools;
    this.confirm = this.#action("confirm", () => send("verdict", { claim: claim.id, confirmed: true }));
    this.#action("reject", () => send("verdict", { claim: claim.id, confirmed: false }));
    this.opener = this.#action("openSheet", () => this.#toggleSheet());
    this.#action("withdraw", () => send("withdraw", { claim: claim.id }), "withdraw");
  }

  /**
   * @param {WordKey} key
   * @param {() => void} act
   * @param {"verdict" | "withdraw"} name
   */
  #action(key, act, name = "verdict") {
    const button = make("button", "", word(key));
    this.actions.append(button);
    this.tools.controls.bind(button, name, act);
    return button;
  }

  #toggleSheet() {
    if (this.sheet === null) {
      this.sheet = sheetForm(this.claim, this.targetPoints, this.tools, this.drafts).element;
      this.place.append(this.sheet);
    } else {
      show(this.sheet, Boolean(this.sheet.hidden));
    }
    setText(this.opener, word(this.sheet.hidden ? "openSheet" : "closeSheet"));
  }

  drawFacts() {
    setText(this.facts, factsText(this.claim, this.tools.whereOf(this.claim.board)));
  }

  /**
   * @param {Api.ClaimView} claim
   * @param {number} order
   * @param {boolean} several
   * @param {number} targetPoints
   */
  take(claim, order, several, targetPoints) {
    this.claim = claim;
    this.targetPoints = targetPoints;
    this.element.className = `claim ${claim.status}`;
    this.head.replaceChildren(make("span", "claim-order", `${order}.`), whoText(claim));
    this.drawFacts();
    show(this.actions, claim.status === "open");
    show(this.place, claim.status === "open");
    show(this.confirm, !several);
    this.drafts.boards.set(claim.id, claim.board);
  }
}

/** @param {Tools} tools */
export function claimsCard(tools) {
  /** @type {Map<string, ClaimLine>} */
  const lines = new Map();
  /** @type {Drafts} */
  const drafts = { sheets: new Map(), boards: new Map() };
  const chosen = sideChoice();

  tools.controls.bind(part("claim-go"), "claim", () => {
    const board = part("claim-board").value.trim();
    if (board === "") return part("claim-board").focus();
    tools.send("claim", { board, side: chosen() });
  });

  return {
    /** Where the boards stand is known only now, or differently. */
    placesChanged() {
      for (const line of lines.values()) line.drawFacts();
    },
    /** @param {Api.Picture} picture */
    take(picture) {
      const open = picture.claims.filter((claim) => claim.status === "open");
      for (const [id, line] of lines) {
        if (picture.claims.some((claim) => claim.id === id)) continue;
        line.element.remove();
        lines.delete(id);
        drafts.sheets.delete(id);
      }
      picture.claims.forEach((claim, index) => {
        const line = lines.get(claim.id) ?? new ClaimLine(claim, tools, drafts);
        if (!lines.has(claim.id)) part("claims").append(line.element);
        lines.set(claim.id, line);
        line.take(claim, index + 1, open.length > 1, picture.target_points);
      });
      setText(part("claims-hint"), hint(picture, open));
      part("claims-card").classList.toggle("urgent", open.length > 0);
    },
  };
}

/**
 * What is to be known before anything else: that the clock runs on, or that each claim needs a sheet.
 * @param {Api.Picture} picture
 * @param {Api.ClaimView[]} open
 */
function hint(picture, open) {
  if (picture.claims.length === 0) return word("noClaims");
  const calls = open.length > 0 && !picture.paused ? [word("claimCalls", { n: open.length })] : [];
  return [...calls, ...(open.length > 1 ? [word("severalOpen")] : [])].join(" ");
}

/** Two buttons for the sides; returns a function that tells which is chosen. */
function sideChoice() {
  /** @type {Side} */
  let side = "sun";
  const buttons = SIDES.map((name) => {
    const button = make("button", `toggle ${name}`, [symbol(name), make("span", "", word(name))]);
    button.type = "button";
    button.addEventListener("click", () => choose(name));
    part("claim-side").append(button);
    return { name, button };
  });
  /** @param {Side} name */
  function choose(name) {
    side = name;
    for (const one of buttons) one.button.setAttribute("aria-pressed", String(one.name === name));
  }
  choose(side);
  return () => side;
}
