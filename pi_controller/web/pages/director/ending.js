// The end: the rounds that are still to come, ending a game and closing an ended one, which take two touches each.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { part } from "../dom.js";
import { inTurns } from "../reading.js";
import { seatOf } from "../seats.js";
import { word } from "../words.js";
import { Asking } from "./asking.js";
import { drawer } from "./drawers.js";
import { pastWays } from "./setup/facts.js";

/** @import { Desk } from "./desk.js" */

/**
 * Whether the end can still be undone, and until when.
 * @param {Desk} desk
 */
function closedText({ picture }) {
  if (picture === null || picture.phase !== "ended") return "";
  if (picture.closed) return word("closed");
  if (picture.closes_at_ms === null) return word("not_closed");
  return word("closes_by_itself", { count: Math.max(1, Math.ceil((picture.closes_at_ms - picture.as_of_ms) / 60_000)) });
}

/**
 * What the end does now: while sheets are collected it says who wins.
 * @param {Desk} desk
 */
function endText({ picture }) {
  const first = picture?.phase === "collecting" ? picture.ranking[0] : undefined;
  if (picture === null || first === undefined) return word("end_sure");
  const winners = picture.ranking.filter(({ place }) => place === 1);
  return word("end_ranking", { winners: winners.map((each) => [each.board, seatOf(picture, String(each.side)).name].join(" ")).join(", ") });
}

/** @param {Desk} desk */
export function endCard(desk) {
  /** @type {Asking<"end" | "close">} */
  const asking = new Asking(desk);
  const ended = () => desk.picture?.phase === "ended";
  const turns = () => inTurns(desk.picture);
  const open = () => ended() && desk.picture?.closed === false;

  function announce() {
    const count = part("last-count");
    if (count.reportValidity() && count.value !== "") desk.send("last_rounds", { count: Number(count.value) });
  }

  return () => drawer("end", word("end_title"), html`
    <div class="fields" ?hidden=${ended()}>
      <label ?hidden=${turns()}><span class="beside">${word("last_help")}</span><input data-is="last-count" type="number" min="0" max="99" value="3" inputmode="numeric"></label>
      ${desk.button("last_rounds", word("announce"), announce, { is: "last-go", hidden: turns() })}
      ${desk.button("end", word("end"), () => asking.ask("end"), { is: "end", look: "risky" })}
    </div>
    ${asking.draw("end", { possible: !ended(), question: endText(desk), yes: word("end_now"), act: () => desk.send("end", { confirm: true }) })}
    <p class="hint" data-is="closed-or-not" ?hidden=${!ended()}>${closedText(desk)}</p>
    ${ended() ? html`<p class="past-ways" data-is="past-ways">${pastWays(desk.picture?.game_id ?? "")}</p>` : nothing}
    <div class="row" ?hidden=${!open()}>${desk.button("close", word("close_game"), () => asking.ask("close"), { is: "close", look: "risky" })}</div>
    ${asking.draw("close", { possible: open(), question: word("close_sure"), yes: word("close_now"), act: () => desk.send("close", { confirm: true }) })}
    ${turns() ? desk.against("end") : desk.against("last_rounds", "end")}`);
}
