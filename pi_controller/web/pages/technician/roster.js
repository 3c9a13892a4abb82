// The roster: export, import, and drawing one up.

import { part, setText, show } from "../dom.js";
import { postJson } from "../post.js";
import { word } from "../words.js";
import { RosterForm } from "./roster_form.js";

/**
 * @import { KnownHub, TablesHub } from "../tables/hub.js"
 * @typedef {{ mistake?: string, well?: string }} Sentences
 */

/** @param {Sentences} sentences */
function say({ mistake = "", well = "" }) {
  setText(part("roster-mistake"), mistake);
  setText(part("roster-well"), well);
}

/**
 * The roster in this file; null when it is none.
 * @param {File} file
 * @returns {Promise<Api.Roster | null>}
 */
async function readFile(file) {
  try {
    const roster = JSON.parse(await file.text());
    return Array.isArray(roster?.rows) ? roster : null;
  } catch (problem) {
    if (!(problem instanceof SyntaxError)) throw problem;
    return null;
  }
}

/** @param {Api.Roster} roster */
function exportAddress(roster) {
  const blob = new Blob([`${JSON.stringify(roster, null, 1)}\n`], { type: "application/json" });
  return URL.createObjectURL(blob);
}

/** @param {TablesHub} hub */
export function rosterCard(hub) {
  /** @type {string | null} */
  let said = null;

  /** @param {Api.Roster} roster */
  async function put(roster) {
    const { status, reasons } = await postJson("/api/roster", roster, { unanswered: word("deedFailed") });
    const done = status === "accepted";
    say(done ? { well: word("rosterImported") } : { mistake: reasons.join(" ") });
    if (done) hub.takeRoster(roster);
    return done;
  }

  const form = new RosterForm({ put, say });

  const chooser = part("roster-import");
  chooser.addEventListener("change", async () => {
    const [file] = chooser.files ?? [];
    if (file === undefined) return;
    const roster = await readFile(file);
    chooser.value = "";
    if (roster === null) return say({ mistake: word("rosterNotJson") });
    await put(roster);
  });
  const edit = () => hub.roster !== null && form.toggle(hub.roster);
  part("roster-edit").addEventListener("click", edit);
  part("no-roster-go").type = "button";
  part("no-roster-go").addEventListener("click", edit);

  return {
    /** @param {KnownHub} hub */
    take({ roster, boards }) {
      setText(part("roster-edit"), word(boards.length > 0 ? "rosterEdit" : "rosterNew"));
      const fitted = boards.filter((board) => board.uid !== null).length;
      setText(part("roster-count"), word("rosterCount", { rows: roster.rows.length, boards: boards.length, fitted }));
      show(part("roster-export"), boards.length > 0);
      const text = JSON.stringify(roster);
      if (text === said) return;
      said = text;
      URL.revokeObjectURL(part("roster-export").href);
      part("roster-export").href = exportAddress(roster);
    },
  };
}
