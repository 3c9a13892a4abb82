// The strip on top: how far the test is, or how it ended.

import { part, setData, setText, show, symbol } from "../dom.js";
import { word } from "../words.js";
import { act } from "./acts.js";

const MINUTE_S = 90; // from here on minutes are said

/** @param {Selftest.Progress} progress */
function leftText({ left_s: left }) {
  if (left <= 0) return "";
  return left < MINUTE_S ? word("stLeftSeconds", { n: Math.ceil(left) }) : word("stLeftMinutes", { n: Math.round(left / 60) });
}

/** @param {Selftest.SelftestSnapshot} snapshot */
function drawRunning({ progress, question, level, operator }) {
  const [done, of] = progress === null ? [0, 1] : [progress.done, progress.of];
  setText(part("strip-title"), progress === null ? word("stBeginning") : progress.title);
  setText(part("strip-text"), question === null ? word("stRunning", { level: word(`stLevel_${level}`), operator }) : word("stWaits"));
  setText(part("strip-left"), progress === null ? "" : [word("stStep", progress), leftText(progress)].filter(Boolean).join(", "));
  part("strip-fill").style.width = `${(100 * done) / of}%`;
  part("strip-bar").setAttribute("aria-valuemax", String(of));
  part("strip-bar").setAttribute("aria-valuenow", String(done));
}

/** @param {Selftest.SelftestSnapshot} snapshot */
function drawEnd({ report }) {
  setText(part("strip-title"), report === null ? "" : word(`stWhole_${report.verdict}`));
  setText(part("strip-text"), report?.notes.join(" ") ?? "");
}

/** @type {Record<Selftest.SelftestSnapshot["standing"], (snapshot: Selftest.SelftestSnapshot) => void>} */
const DRAWN = {
  idle: () => {
    setText(part("strip-title"), word("stReady"));
    setText(part("strip-text"), word("stReadyHelp"));
  },
  running: drawRunning,
  ended: drawEnd,
  failed: ({ sentence }) => {
    setText(part("strip-title"), word("stRefused"));
    setText(part("strip-text"), sentence ?? "");
  },
};

/**
 * `onAnew()` when another test is wanted.
 * @param {() => void} onAnew
 */
export function stripCard(onAnew) {
  part("stop").addEventListener("click", () => act("stop"));
  part("anew").addEventListener("click", onAnew);

  return {
    /**
     * `standing` is that of the page, which may want another test already.
     * @param {Selftest.SelftestSnapshot} snapshot
     * @param {Selftest.SelftestSnapshot["standing"]} standing
     */
    take(snapshot, standing) {
      const verdict = standing === "ended" ? (snapshot.report?.verdict ?? "") : standing === "failed" ? "failed" : "";
      show(part("strip"), standing !== "idle");
      setData(part("strip"), "verdict", verdict);
      setData(part("strip"), "standing", standing);
      const sign = standing === "failed" ? "lock" : `verdict-${verdict}`;
      part("strip-sign").replaceChildren(...(verdict === "" ? [] : [symbol(sign)]));
      const running = standing === "running";
      for (const place of [part("strip-bar"), part("strip-left"), part("stop")]) show(place, running);
      show(part("anew"), standing === "ended");
      DRAWN[standing](snapshot);
    },
  };
}
