// Who gave a command, in the words of the page.

import { hasWord, word } from "../words.js";

/**
 * `web:Bea` is a director by name, `web:judge:Anna` another role; a name that has gone is a number, one that is left out is empty.
 * @param {string} source
 */
export function byWhom(source) {
  const key = `by_${source}`;
  if (hasWord(key)) return word(key);
  const [from, first, ...rest] = source.split(":");
  if (from !== "web" || first === undefined) return source;
  const role = `role_${first}`;
  if (!hasWord(role)) return [first, ...rest].join(":");
  return rest.length === 0 || rest[0] === "0" ? word(role) : word("link_of", { name: rest.join(":"), role: word(role) });
}
