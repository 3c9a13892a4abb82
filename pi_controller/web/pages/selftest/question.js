// The question that stands: what to look at, big answers, once more, or skip with a reason. A question that somebody
// else has answered goes away by itself.

import { make, part, setData, setText, show, symbol } from "../dom.js";
import { hasWord, word } from "../words.js";
import { act } from "./acts.js";
import { drawLive } from "./live.js";

const BUZZ_MS = 60;
/** @type {Record<string, string>} */
const SYMBOLS = { sun_lamp: "sun", moon_lamp: "moon", pause_lamp: "pause", buzzer: "voice", pause_button: "press", display: "display", tables: "tab-map", walk: "tab-map", cable: "cable", mains: "mains", controller: "tab-hardware" };
const SIDES = /** @type {const} */ (["sun", "moon"]);
const SOUNDING = ["HRN", "SND"];
/** @type {Record<string, string>} */
const HEARD = { saw: "heard", not: "unheard" }; // what the answers are called where somebody listens

/**
 * @param {string} answer
 * @param {string} code
 */
function answerText(answer, code) {
  const key = `stAnswer_${(SOUNDING.includes(code) && HEARD[answer]) || answer}`;
  return hasWord(key) ? word(key) : answer;
}

/**
 * @param {string} text
 * @param {string} className
 * @param {() => void} onClick
 */
function button(text, className, onClick) {
  const element = make("button", className, text);
  element.type = "button";
  element.addEventListener("click", onClick);
  return element;
}

export function questionCard() {
  /** @type {Selftest.Question | null} */
  let question = null;

  /**
   * @param {string} answer
   * @param {string} reason
   */
  async function reply(answer, reason = "") {
    const asked = question;
    if (asked === null) return;
    setData(part("question"), "sent", "true");
    if (!(await act("answer", { question: asked.id, answer, reason })) && question === asked) setData(part("question"), "sent", "false");
  }

  function typed() {
    const input = Object.assign(make("input"), { required: true, maxLength: 200 });
    input.setAttribute("aria-label", word("stTyped"));
    const form = make("form", "fields", [make("label", "wide", [make("span", "", word("stTyped")), input]), make("button", "strong", word("stSend"))]);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      reply(input.value.trim());
    });
    return [form];
  }

  /**
   * "Not" where it can be said of which: the names come up to be chosen.
   * @param {string[]} names
   */
  function askNames(names) {
    /** @type {Set<string>} */
    const chosen = new Set();
    const send = button(word("stNamesAll"), "strong", () => reply("not", [...chosen].join(" ")));
    const chips = names.map((name) => {
      const side = SIDES.find((each) => name.endsWith(`-${each}`));
      const board = side === undefined ? name : name.slice(0, -side.length - 1);
      const chip = button(board, "toggle", () => {
        if (!chosen.delete(name)) chosen.add(name);
        chip.setAttribute("aria-pressed", String(chosen.has(name)));
        setText(send, chosen.size === 0 ? word("stNamesAll") : word("stNamesSend", { n: chosen.size }));
      });
      chip.setAttribute("aria-pressed", "false");
      if (side !== undefined) chip.append(symbol(side), make("span", "only-spoken", word(side)));
      return chip;
    });
    part("names").replaceChildren(make("h3", "", word("stNames")), make("div", "chips", chips), send);
    show(part("names"), true);
    show(part("answers"), false);
  }

  /** @param {Selftest.Question} asked */
  function answers({ answers: possible, names, code }) {
    if (possible.length === 0) return typed();
    return possible.map((answer, index) => {
      const asksNames = answer === "not" && names.length > 0;
      return button(answerText(answer, code), index === 0 ? "strong" : "other", () => (asksNames ? askNames(names) : reply(answer)));
    });
  }

  /** @param {boolean} open */
  function openSkip(open) {
    show(part("why-skip"), open);
    show(part("second"), !open);
    if (open) part("reason").focus();
  }

  /**
   * @param {Selftest.Question} asked
   * @param {string} title
   */
  function draw(asked, title) {
    const sign = SYMBOLS[asked.picture];
    setText(part("question-code"), asked.code);
    setText(part("question-title"), title);
    setText(part("question-text"), asked.text);
    part("question-picture").replaceChildren(...(sign === undefined ? [] : [symbol(sign)]));
    setData(part("question-picture"), "picture", asked.picture);
    part("answers").replaceChildren(...answers(asked));
    show(part("answers"), true);
    show(part("names"), false);
    show(part("skip"), asked.may_skip);
    part("reason").value = "";
    openSkip(false);
    setData(part("question"), "sent", "false");
  }

  part("retry").type = part("skip").type = "button";
  part("retry").addEventListener("click", () => reply("retry"));
  part("skip").addEventListener("click", () => openSkip(true));
  part("skip-back").addEventListener("click", () => openSkip(false));
  part("reasons").replaceChildren(...word("stReasons").map((reason) => button(reason, "", () => reply("skip", reason))));
  part("why-skip").addEventListener("submit", (event) => {
    event.preventDefault();
    reply("skip", part("reason").value.trim());
  });

  return {
    reply,
    /** @param {Selftest.SelftestSnapshot} snapshot */
    take(snapshot) {
      const before = question?.id;
      question = snapshot.question;
      show(part("question"), question !== null && question.live !== "walk");
      if (question === null) return;
      if (question.id !== before) {
        draw(question, snapshot.progress?.title ?? "");
        if (navigator.userActivation?.hasBeenActive) navigator.vibrate?.(BUZZ_MS);
      }
      drawLive(part("live"), question.live === "walk" ? null : snapshot.live);
    },
  };
}
