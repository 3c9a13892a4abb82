// Raw edges: kept, put together to changes with their bounce. Pure: no DOM, no clock.

const MOST_KEPT = 2_000;
const SETTLED_MS = 30; // a longer rest ends the bounce of a change

/** Milliseconds of a stamp in nanoseconds. */
export function ms(ns) {
  return ns / 1e6;
}

export class Edges {
  all = [];
  dropped = 0;

  add(edges, dropped = 0) {
    this.all.push(...edges);
    this.all.splice(0, this.all.length - MOST_KEPT);
    this.dropped += dropped;
  }

  clear() {
    this.all = [];
    this.dropped = 0;
  }

  /** Edges of one contact, oldest first. */
  of(contact) {
    return this.all.filter((edge) => edge.contact === contact);
  }

  /** The last change of any contact, with its bounce: {contact, edges, bounceMs}; null without edges. */
  lastChange() {
    const last = this.all.at(-1);
    if (last === undefined) return null;
    const own = this.of(last.contact);
    let first = own.length - 1;
    while (first > 0 && ms(own[first].at_ns - own[first - 1].at_ns) < SETTLED_MS) first -= 1;
    const edges = own.slice(first);
    return { contact: last.contact, edges, bounceMs: ms(edges.at(-1).at_ns - edges[0].at_ns) };
  }
}
