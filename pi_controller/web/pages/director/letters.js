// What a table's display has no letter for: core leaves it out there or puts a question mark (`bus/messages.py`).

const DRAWN = "łŁß¿¡„“”«»‚‘’‐‑–—…×€"; // besides ASCII and what becomes ASCII without its marks

/** @param {string} sign */
const isDrawn = (sign) => DRAWN.includes(sign) || /[\s!-~]/.test(sign.normalize("NFKD"));

/**
 * The signs of this text that no table shows, each once, as a person sees them.
 * @param {string} text
 */
export function notOnTables(text) {
  const signs = [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
  return [...new Set(signs.filter((sign) => ![...sign].some(isDrawn)))];
}
