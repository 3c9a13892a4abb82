// Nodes that stand at no board: the spares, and those that nobody has enrolled yet.

import { make, part, setText, show, symbol } from "../dom.js";
import { sparesOf } from "../tables/reading.js";
import { word } from "../words.js";
import { bind } from "./deeds.js";

/**
 * @import { KnownHub } from "../tables/hub.js"
 * @import { Deeds } from "./deeds.js"
 */

const IDENTIFY_S = 10;

/**
 * @param {Api.NodeView} node
 * @param {Deeds} deeds
 */
function spareLine(node, deeds) {
  const button = make("button", "", word("identify"));
  button.setAttribute("aria-label", word("spareIdentify", { uid: node.uid }));
  bind(button, () => deeds.do("identify", { uid: node.uid, seconds: IDENTIFY_S }));
  const glyph = make("span", "spare-glyph", [symbol(`node-${node.state}`)]);
  glyph.dataset.node = node.state;
  const line = make("li", "spare", [glyph, make("span", "spare-uid", node.uid), make("span", "hint"), button]);
  return line;
}

/** @param {Deeds} deeds */
export function sparesCard(deeds) {
  const lines = new Map();
  bind(part("identify-all"), () => deeds.do("identify", { seconds: IDENTIFY_S }));

  return {
    /** @param {KnownHub} hub */
    take({ roster, snapshot }) {
      const spares = sparesOf(roster, snapshot);
      const wanted = new Map(spares.map((node) => [`${node.uid} ${node.state}`, node]));
      for (const [key, line] of lines) {
        if (wanted.has(key)) continue;
        line.remove();
        lines.delete(key);
      }
      for (const [key, node] of wanted) {
        if (!lines.has(key)) {
          lines.set(key, spareLine(node, deeds));
          part("spares").append(lines.get(key));
        }
        const where = `${word("segment", { name: node.segment })} · ${word("fact_address")} ${node.address} · ${word(`node_${node.state}`)}`;
        setText(lines.get(key).querySelector(".hint"), where);
      }
      part("spares").dataset.none = word("sparesNone");
      show(part("identify-all"), snapshot.nodes.length > 0);
    },
  };
}
