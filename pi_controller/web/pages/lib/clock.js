// Core's clock as a page reckons it: from messages that come by themselves, from questions and answers; and when the game will
// probably end. No DOM, no network.

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

// When the game will probably end, by the wall clock. Pure but for that clock.

/**
 * From when to when the end is to be expected, as moments of the wall clock; while play is paused they move on with it. Null where the end is
 * not to be foreseen, and until it is known what core's clock shows now.
 * @param {Pick<Api.Picture, "as_of_ms" | "forecast" | "rate" | "running">} picture
 * @param {number | null} coreNow
 */
export function forecastWall({ as_of_ms: seenAt, forecast, rate, running }, coreNow) {
  const from = wallOf(running ? seenAt : (coreNow ?? 0), coreNow);
  return forecast === null || from === null ? null : { earliest: from + forecast.earliest_ms / rate, latest: from + forecast.latest_ms / rate };
}

// How far core's clock is from this page's, measured by questions and answers as NTP does, and how exactly. Pure: no DOM, no network.

const KEPT_MS = 60_000;
const DRIFT = 200e-6; // two crystals of phones and computers part by less, in parts of the time since

export class Offset {
  /** @type {{ at: number, offset: number, error: number }[]} */
  #samples = [];

  /**
   * A question left at `sent` and its answer came at `came`, both in ms of this page's clock; between them core's clock showed `core` ms.
   * @param {number} sent
   * @param {number} core
   * @param {number} came
   */
  heard(sent, core, came) {
    const half = (came - sent) / 2;
    this.#samples = this.#samples.filter(({ at }) => came - at <= KEPT_MS);
    this.#samples.push({ at: came, offset: core - (sent + half), error: half });
  }

  /** Forget everything: the page slept, or core started anew. */
  reset() {
    this.#samples = [];
  }

  /**
   * Core's clock at this moment of the page's, and by how much that may be wrong, in ms; null before the first answer.
   * @param {number} moment
   */
  at(moment) {
    const found = this.#samples.map(({ at, offset, error }) => ({ core: moment + offset, error: error + Math.abs(moment - at) * DRIFT }));
    return found.reduce((best, each) => (best === null || each.error < best.error ? each : best), /** @type {{ core: number, error: number } | null} */ (null));
  }
}
