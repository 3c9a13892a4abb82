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
