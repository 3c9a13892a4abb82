// Digits of seals and records, as the hall screen and the director read them. Pure.

/**
 * Hexadecimal text in groups of four that can be read out; the rest is left off after `groups`.
 * @param {string} hex
 */
export function groupedHex(hex, groups = Infinity) {
  const parts = hex.match(/.{1,4}/g) ?? [];
  return parts.slice(0, groups).join(" ") + (parts.length > groups ? " …" : "");
}
