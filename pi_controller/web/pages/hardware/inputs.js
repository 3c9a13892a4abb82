// The pause button's contacts as they are now, and what they say together.

import { make, part, setData, setSymbol, setText, symbol } from "../dom.js";
import { word } from "../words.js";

const CONTACTS = ["no", "nc"];

function readingOf(inputs) {
  if (inputs === null) return "unknown";
  const { no_closed: no, nc_closed: nc } = inputs;
  if (nc === null) return no ? "pressed" : "released";
  if (no && nc) return "short";
  if (!no && !nc) return "cut";
  return no ? "pressed" : "released";
}

function levelOf(closed) {
  if (closed === null || closed === undefined) return "unwired";
  return closed ? "closed" : "open";
}

const LEVEL_WORDS = { closed: "hwClosed", open: "hwOpen", unwired: "hwUnwired" };

export function inputsCard() {
  const lines = new Map(
    CONTACTS.map((contact) => {
      const [level, sign] = [make("b"), symbol("contact-open")];
      return [contact, { level, sign, element: make("li", "contact", [sign, make("span", "", word(`hwContact_${contact}`)), level]) }];
    }),
  );
  part("contacts").replaceChildren(...[...lines.values()].map((line) => line.element));

  return {
    /** `null`: nothing is watched. */
    take(inputs) {
      const reading = readingOf(inputs);
      setText(part("reading"), word(`hwReading_${reading}`));
      setData(part("reading"), "reading", reading);
      for (const [contact, line] of lines) {
        const level = levelOf(inputs?.[`${contact}_closed`]);
        setSymbol(line.sign, level === "closed" ? "contact-closed" : "contact-open");
        setText(line.level, inputs === null ? "" : word(LEVEL_WORDS[level]));
        setData(line.element, "level", inputs === null ? "unwired" : level);
      }
    },
  };
}
