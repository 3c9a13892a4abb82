// The director's line on all screens with a view of how it will stand there, or to the moderator alone; the free countdown for doors and
// breaks, and the hall's public word.

import { repeat } from "../vendor/lit-html/directives/repeat.js";
import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { closeDrawer, fold } from "./page.js";
import { Actions, once, options } from "../lib/components.js";
import { part } from "../lib/dom.js";
import { NotesFeed, noteState } from "../lib/shared.js";
import { messageText } from "../lib/texts.js";
import { word } from "../lib/words.js";

/**
 * @import { Desk } from "../lib/desk.js"
 * @import { Note } from "../lib/shared.js"
 */

// What a table's display has no letter for: core leaves it out there or puts a question mark (`bus/messages.py`).

const DRAWN = "łŁß¿¡„“”«»‚‘’‐‑–—…×€"; // besides ASCII and what becomes ASCII without its marks

/** @param {string} sign */
const isDrawn = (sign) => DRAWN.includes(sign) || /[\s!-~]/.test(sign.normalize("NFKD"));

/**
 * The signs of this text that no table shows, each once, as a person sees them.
 * @param {string} text
 */
function notOnTables(text) {
  const signs = [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
  return [...new Set(signs.filter((sign) => ![...sign].some(isDrawn)))];
}

// The other target of the director's line: notes to the moderator, which nobody else sees, with whether they were read.

const MOST_SHOWN = 3;

function notesToModerator() {
  const notes = new NotesFeed();
  /** @type {Actions<"remove" | "write", { id: string } | { text: string }>} */
  const actions = new Actions("/api/notes");

  /** @param {Note} note */
  const line = (note) => html`<li data-read=${note.read_ms !== null}><span>${note.text} <small>${noteState(note)}</small></span>
    <button type="button" class="plain" aria-label=${word("note_remove", { text: note.text })} @click=${once(() => actions.do("remove", { id: note.id }))}>×</button></li>`;

  return {
    /**
     * Resolves with whether it was sent.
     * @param {string} text
     */
    write: (text) => actions.do("write", { text }),
    /** The newest, the last one first. */
    list: () => html`<ul class="sent-notes" data-is="sent-notes">${notes.all.length === 0 ? html`<li>${word("notes_none")}</li>` : repeat(notes.all.slice(-MOST_SHOWN).reverse(), ({ id }) => id, line)}</ul>`,
    /** Why the last one was not taken. */
    refusal: () => actions.draw(),
    /** The last one in one line, for whoever writes to the screens just now. */
    newest() {
      const last = notes.all.at(-1);
      return last === undefined ? nothing : html`<p class="newest-note" data-is="newest-note" data-read=${last.read_ms !== null}>${word("say_to_moderator")}: ${last.text} · ${noteState(last)}</p>`;
    },
  };
}

// The director's line on all screens with a view of how it will stand there, or to the moderator alone; the free countdown for doors and breaks, and the hall's public word.

const MODERATOR = "moderator";
/** To the screens, for so many seconds; or to the moderator. */
const TARGETS = /** @type {const} */ ([
  ["", "say_until"],
  ["15", "say_for15"],
  ["60", "say_for60"],
  [MODERATOR, "say_to_moderator"],
]);

const PREPARED = /** @type {const} */ (["seats", "goes_on", "hands", "break", "thanks"]);
const TIMERS = /** @type {const} */ (["doors", "set_up", "break"]);

/** @param {Desk} desk */
export function sayCard(desk) {
  let typed = "";
  let toModerator = false;
  const notes = notesToModerator();

  /** @param {{ text: string } | { line: (typeof PREPARED)[number] }} what */
  function say(what) {
    const seconds = toModerator ? "" : part("say-for").value;
    const tables = part("say-tables").checked;
    desk.send("say", { ...what, ...(seconds === "" ? {} : { seconds: Number(seconds) }), ...(tables ? {} : { tables }) });
    closeDrawer("more");
  }

  async function sayTyped() {
    const field = part("say-text");
    const text = field.value;
    if (text.trim() === "") return field.focus();
    if (!toModerator) say({ text });
    else if ((await notes.write(text)) && field.value === text) typed = field.value = "";
  }

  /**
   * Once the pointer has changed it, the space bar pauses the game again; with the keyboard it changes the box itself.
   * @param {MouseEvent & { currentTarget: HTMLInputElement }} event
   */
  function leave({ detail, currentTarget }) {
    if (detail > 0) currentTarget.blur();
  }

  /** How a line stands on the hall screen: what is being typed, otherwise what is there. */
  function preview() {
    const message = desk.picture?.message;
    const text = typed.trim() === "" ? (message ? messageText(message) : "") : typed;
    return html`<div class="preview" role="img" aria-label=${word("preview_of", { text })}>
      <span class="preview-screen" aria-hidden="true"></span>${text === "" ? nothing : html`<span class="preview-line">${text}</span>`}</div>`;
  }

  /** What the tables' displays have no letters for, as it is typed. */
  function lost() {
    const signs = toModerator ? [] : notOnTables(typed);
    return html`<p class="hint" data-is="say-lost" role="status" ?hidden=${signs.length === 0}>${signs.length === 0 ? "" : word("say_lost", { signs: signs.join(" ") })}</p>`;
  }

  return () => {
    const hint = toModerator ? "note_hint" : "say_hint";
    const message = desk.picture?.message;
    return fold("message", word("say_title"), message ? messageText(message) : "", html`
    <div class="prepared" ?hidden=${toModerator}>${PREPARED.map((line) => desk.button("say", word(`prepared_${line}`), () => say({ line })))}${(desk.picture?.event.lines ?? []).map((text) => desk.button("say", text, () => say({ text })))}</div>
    <div class="saying" data-to=${toModerator ? MODERATOR : nothing}>
      ${toModerator ? nothing : preview()}
      <div class="fields">
        <label class="wide"><span class="only-spoken">${word(hint)}</span><input data-is="say-text" maxlength="200" placeholder=${word(hint)} autocomplete="off" @input=${() => (typed = part("say-text").value)}></label>
        <label><span class="only-spoken">${word("say_for")}</span><select data-is="say-for" @input=${() => (toModerator = part("say-for").value === MODERATOR)}>${options(TARGETS.map(([value, key]) => [value, word(key)]))}</select></label>
        <label class="check" ?hidden=${toModerator}><input type="checkbox" data-is="say-tables" checked @click=${leave}> ${word("say_tables")}</label>
        ${toModerator ? html`<button type="button" class="do" data-is="note-send" @click=${once(sayTyped)}>${word("note_send")}</button>` : desk.button("say", word("say"), sayTyped, { is: "say", look: "do" })}
        ${desk.button("say", word("unsay"), () => desk.send("say", { text: "" }), { is: "unsay", hidden: !desk.picture?.message })}
      </div>
      ${lost()}
    </div>
    ${toModerator ? notes.list() : notes.newest()}${notes.refusal()}
    ${desk.against("say")}`);
  };
}

/** @param {Desk} desk */
export function timerCard(desk) {
  /** @param {{ label: string } | { prepared: (typeof TIMERS)[number] }} what */
  function start(what) {
    const minutes = part("timer-minutes");
    if (!minutes.reportValidity() || minutes.value === "") return;
    desk.send("timer", { ...what, seconds: Number(minutes.value) * 60 });
    closeDrawer("more");
  }
  return fold("timer", word("desk_timer_title"), html`<span data-is="timer-left"></span>`, html`
    <div class="fields">
      <label class="narrow"><span class="beside">${word("desk_timer_minutes")}</span><input data-is="timer-minutes" type="number" min="0.5" max="1440" step="0.5" value="10" inputmode="decimal"></label>
      <label><span class="only-spoken">${word("desk_timer_hint")}</span><input data-is="timer-label" maxlength="60" placeholder=${word("desk_timer_hint")} autocomplete="off"></label>
      ${desk.button("timer", word("desk_timer_start"), () => start({ label: part("timer-label").value }), { is: "timer-start", look: "do" })}
      ${desk.button("timer", word("desk_timer_stop"), () => desk.send("timer", { stop: true }), { is: "timer-stop", hidden: !desk.picture?.timer })}
    </div>
    ${desk.against("timer")}`, html`<div class="prepared">${TIMERS.map((prepared) => desk.button("timer", word(`timer_${prepared}`), () => start({ prepared })))}</div>`);
}

/**
 * Only while a word may be given.
 * @param {Desk} desk
 */
export function wordCard(desk) {
  if (desk.picture?.phase !== "ready") return nothing;
  const spoken = desk.picture.public_word;
  async function seal() {
    const text = part("word-text").value;
    if (text.trim() === "") return part("word-text").focus();
    const { status } = await desk.send("contribute", { text });
    if (status === "accepted" && part("word-text").value === text) part("word-text").value = "";
  }
  return html`<section class="card" data-is="word-card">
    <h2>${word("word_title_director")}</h2>
    <p class="hint">${spoken === null ? word("no_word") : word("word_now", { text: spoken })}</p>
    <div class="fields">
      <label class="wide"><span class="only-spoken">${word("word_hint")}</span><input data-is="word-text" maxlength="200" placeholder=${word("word_hint")} autocomplete="off"></label>
      ${desk.button("contribute", word("word_go"), seal, { is: "word-go" })}
    </div>
    ${desk.against("contribute")}
  </section>`;
}
