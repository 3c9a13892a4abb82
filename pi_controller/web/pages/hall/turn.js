// Which of the hall's languages a picture is shown in: the same on every screen, whenever it was opened. Pure.

/**
 * They change with every second round, so that each of two sides, which take turns by round, is called in both. What
 * comes between two rounds is in the language of the round that follows; nothing changes in the middle of a phase.
 * @param {Pick<Api.Picture, "phase" | "round">} picture
 * @param {readonly string[]} languages at least one
 */
export function languageOf({ phase, round }, languages) {
  const coming = phase === "robber" ? round + 1 : round;
  return languages[Math.floor(coming / 2) % languages.length] ?? "";
}
