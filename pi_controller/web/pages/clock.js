// What time core's clock shows, judged by the messages that were delayed least. No DOM, no network.

const WINDOW_MS = 60_000; // two crystals 100 ppm apart part by 6 ms in this time
const JUMP_MS = 1_000; // wall and page clock parting by more means that this computer slept

export const systemTime = {
  mono: () => performance.now(),
  wall: () => Date.now(),
};

/**
 * The wall clock at a moment of core's clock; null before core was heard.
 * @param {number} coreMs
 * @param {number | null} coreNow
 */
export const wallOf = (coreMs, coreNow) => (coreNow === null ? null : systemTime.wall() - coreNow + coreMs);

/** Estimates core's clock from `as_of_ms` stamps. An estimate is never ahead of core, only behind by the least delay seen. */
export class CoreClock {
  /** @type {{ at: number, offset: number }[]} */
  #samples = []; // offsets page − core, ascending, each the least of what came after the one before
  /** @type {number | null} */
  #newestAsOf = null;
  /** @type {number | null} */
  #wallOffset = null;

  /** Forget everything: a new session of core, or a new connection after this computer slept. */
  reset() {
    this.#samples = [];
    this.#newestAsOf = null;
    this.#wallOffset = null;
  }

  /**
   * A message stamped `asOfMs` arrived at `mono` (page clock) and `wall` (wall clock).
   * @param {number} asOfMs
   * @param {number} mono
   * @param {number} wall
   */
  heard(asOfMs, mono, wall) {
    this.#wallOffset = wall - mono;
    const offset = mono - asOfMs;
    this.#samples = this.#samples.filter((sample) => sample.offset < offset && mono - sample.at <= WINDOW_MS);
    this.#samples.push({ at: mono, offset });
    this.#newestAsOf = Math.max(this.#newestAsOf ?? asOfMs, asOfMs);
  }

  /**
   * Core's clock at the page time `mono`, in ms; null before the first message.
   * @param {number} mono
   */
  at(mono) {
    const best = this.#samples[0];
    return best === undefined ? null : mono - best.offset;
  }

  /**
   * Age in ms of the newest news at `mono`, delays on the way included; Infinity when there is none.
   * @param {number} mono
   * @param {number} wall
   */
  ageOfNews(mono, wall) {
    const now = this.at(mono);
    if (now === null || this.#newestAsOf === null || this.slept(mono, wall)) return Infinity;
    return now - this.#newestAsOf;
  }

  /**
   * Whether the wall clock moved without the page clock since the last message.
   * @param {number} mono
   * @param {number} wall
   */
  slept(mono, wall) {
    return this.#wallOffset !== null && Math.abs(wall - mono - this.#wallOffset) > JUMP_MS;
  }
}
