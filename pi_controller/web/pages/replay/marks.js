// What stands out in a game: where rounds begin, where it was paused, where somebody claimed. Pure.

/**
 * @typedef {Api.ReplayLine} Line
 * @typedef {{ kind: "claim" | "end" | "pause" | "robber" | "round", fromMs: number, toMs: number, round: number }} Mark
 */

/** @param {Api.Picture} picture */
const isPlay = ({ phase }) => phase === "round" || phase === "robber" || phase === "turn";

/**
 * All marks of these lines in their order; a pause has a length.
 * @param {Line[]} lines
 * @returns {Mark[]}
 */
export function marksOf(lines) {
  /** @type {Mark[]} */
  const marks = [];
  /** @type {Mark | null} */
  let pause = null;
  /** @type {Api.Picture | null} */
  let before = null;
  let claims = 0;
  for (const { since_ms: at, picture } of lines) {
    const { phase, round, paused } = picture;
    const add = (/** @type {Mark["kind"]} */ kind) => {
      const mark = { kind, fromMs: at, toMs: at, round };
      marks.push(mark);
      return mark;
    };
    const other = before === null || before.phase !== phase || before.round !== round;
    if (other && isPlay(picture)) add(phase === "robber" ? "robber" : "round");
    if (other && phase === "ended") add("end");
    if (paused && isPlay(picture)) pause ??= add("pause");
    else pause = null;
    if (pause !== null) pause.toMs = at;
    if (picture.claims.length > claims) add("claim");
    claims = picture.claims.length;
    before = picture;
  }
  return lengthened(marks, lines);
}

/**
 * A pause lasts to the line after its last one.
 * @param {Mark[]} marks
 * @param {Line[]} lines
 */
function lengthened(marks, lines) {
  return marks.map((mark) => {
    if (mark.kind !== "pause") return mark;
    return { ...mark, toMs: lines.find(({ since_ms: at }) => at > mark.toMs)?.since_ms ?? mark.toMs };
  });
}
