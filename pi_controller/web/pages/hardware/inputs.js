// The pause button's contacts as they are now, and what they say together; beside them the shutdown button.

import { make, part, setData, setSymbol, setText, show, symbol } from "../dom.js";
import { word } from "../words.js";

const CONTACTS = /** @type {const} */ (["no", "nc"]);

/** @param {Api.Inputs | null} inputs */
function readingOf(inputs) {
  if (inputs === null) return "unknown";
  const { no_closed: no, nc_closed: nc } = inputs;
  if (nc === null) return no ? "pressed" : "released";
  if (no && nc) return "short";
  if (!no && !nc) return "cut";
  return no ? "pressed" : "released";
}

/** @param {boolean | null | undefined} closed */
function levelOf(closed) {
  if (closed === null || closed === undefined) return "unwired";
  return closed ? "closed" : "open";
}

const LEVEL_WORDS = /** @type {const} */ ({ closed: "hwClosed", open: "hwOpen", unwired: "hwUnwired" });

/** @param {string} name */
function contactLine(name) {
  const [level, sign] = [make("b"), symbol("contact-open")];
  const element = make("li", "contact", [sign, make("span", "", name), level]);
  return {
    element,
    /**
     * @param {string} state
     * @param {string} text
     */
    take(state, text) {
      setSymbol(sign, state === "closed" ? "contact-closed" : "contact-open");
      setText(level, text);
      setData(element, "level", state);
    },
  };
}

export function inputsCard() {
  const lines = new Map(CONTACTS.map((contact) => [contact, contactLine(word(`hwContact_${contact}`))]));
  part("contacts").replaceChildren(...[...lines.values()].map((line) => line.element));
  const shutdown = contactLine(word("hwShutdown"));
  part("shutdown").replaceChildren(shutdown.element);

  return {
    /**
     * `null`: nothing is watched.
     * @param {Api.Inputs | null} inputs
     */
    take(inputs) {
      const reading = readingOf(inputs);
      setText(part("reading"), word(`hwReading_${reading}`));
      setData(part("reading"), "reading", reading);
      for (const [contact, line] of lines) {
        const level = inputs === null ? "unwired" : levelOf(inputs[`${contact}_closed`]);
        line.take(level, inputs === null ? "" : word(LEVEL_WORDS[level]));
      }
      const held = inputs?.shutdown_pressed ?? null;
      show(part("shutdown"), held !== null);
      shutdown.take(held ? "closed" : "open", word(held ? "hwReading_pressed" : "hwReading_released"));
    },
  };
}
