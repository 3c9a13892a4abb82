// The tables at a glance: the hall map, what is lost, who claims where, and what a claim does to the clock.

import { make, part, setData, setText, show, symbol } from "../dom.js";
import { hallMap } from "../tables/map.js";
import { TablesHub } from "../tables/hub.js";
import { namesOf, standingsOf } from "../tables/reading.js";
import { word } from "../words.js";

/**
 * @import { Standing } from "../tables/reading.js"
 * @import { Tools } from "./controls.js"
 */

const MODES = /** @type {const} */ (["ask", "pause"]);

/**
 * @param {TablesHub} hub
 * @returns {[Standing, string][]}
 */
function summaryLines(hub) {
  if (!hub.open) return [["lost", word("mapLost")]];
  if (hub.boards.length === 0) return [["unfitted", word("mapEmpty")]];
  const troubles = standingsOf(hub.boards).filter(([standing]) => standing !== "good");
  if (troubles.length === 0) return [["good", word("mapAllWell", { n: hub.boards.length })]];
  return troubles.map(([standing, boards]) => [standing, word("mapTrouble", { standing: word(`node_${standing}`), boards: namesOf(boards) })]);
}

/** @param {[Standing, string]} entry */
function summaryLine([standing, text]) {
  const line = make("li", "", [symbol(`node-${standing}`), make("span", "", text)]);
  line.dataset.node = standing;
  return line;
}

/** @param {Tools} tools */
function modeButtons({ send, controls }) {
  return MODES.map((mode) => {
    const button = make("button", "toggle", word(mode === "ask" ? "claimsAsk" : "claimsPause"));
    part("claims-mode").append(button);
    controls.bind(button, "set_claims", () => send("set_claims", { mode }));
    return { mode, button };
  });
}

/**
 * `onChange()` when the tables say something new. `whereOf(board)` tells the place of a board in words, or "" while it is not known.
 * @param {Tools} tools
 * @param {() => void} onChange
 */
export function tablesCard(tools, onChange) {
  const map = hallMap(part("map"), { size: "small", legend: false });
  const modes = modeButtons(tools);
  /** @type {Map<string, number>} */
  let claims = new Map();
  const hub = new TablesHub(draw);

  /** @param {TablesHub} hub */
  function draw({ known, open, roster, boards }) {
    setData(part("tables-card"), "open", String(open));
    part("map-summary").replaceChildren(...(known || !open ? summaryLines(hub) : []).map(summaryLine));
    show(part("map"), known && boards.length > 0);
    if (roster !== null && known) map.draw(roster, boards, { claims });
    onChange();
  }

  return {
    /** @param {Api.Picture} picture */
    take(picture) {
      for (const { mode, button } of modes) button.setAttribute("aria-pressed", String(picture.claims_mode === mode));
      setText(part("claims-mode-hint"), word(`claimsModeHelp_${picture.claims_mode}`));
      claims = new Map();
      picture.claims.forEach(({ board, status }, index) => {
        if (status === "open" && board !== null) claims.set(board, index + 1);
      });
      draw(hub);
    },
    /** @param {string | null} name */
    whereOf(name) {
      const board = name === null ? null : hub.board(name);
      return board === null ? "" : word("boardPlace", { row: board.row.name, place: board.place, all: board.row.boards.length });
    },
  };
}
