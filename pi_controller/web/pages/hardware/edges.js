// Raw edges: kept, put together to changes with their bounce. Pure: no DOM, no clock.

/** @typedef {Api.Edge["contact"]} Contact */

const MOST_KEPT = 2_000;
const SETTLED_MS = 30; // a longer rest ends the bounce of a change

/**
 * Milliseconds of a stamp in nanoseconds.
 * @param {number} ns
 */
export function ms(ns) {
  return ns / 1e6;
}

export class Edges {
  /** @type {Api.Edge[]} */
  all = [];
  dropped = 0;

  /** @param {Api.Edge[]} edges */
  add(edges, dropped = 0) {
    this.all.push(...edges);
    this.all.splice(0, this.all.length - MOST_KEPT);
    this.dropped += dropped;
  }

  clear() {
    this.all = [];
    this.dropped = 0;
  }

  /**
   * Edges of one contact, oldest first.
   * @param {Contact} contact
   */
  of(contact) {
    return this.all.filter((edge) => edge.contact === contact);
  }

  /** The last change of any contact, with its bounce: {contact, edges, beginMs, bounceMs}; null without edges. */
  lastChange() {
    const last = this.all.at(-1);
    if (last === undefined) return null;
    const own = this.of(last.contact);
    let first = own.length - 1;
    let begin = last.at_ns;
    for (let before = own[first - 1]; before !== undefined && ms(begin - before.at_ns) < SETTLED_MS; before = own[first - 1]) {
      begin = before.at_ns;
      first -= 1;
    }
    return { contact: last.contact, edges: own.slice(first), beginMs: ms(begin), bounceMs: ms(last.at_ns - begin) };
  }
}
