// The virtual hall: the panel and the tables as their feeds say, and hands for their buttons and faults.

import { html, render } from "../vendor/lit-html/lit-html.js";
import { languageMenu, symbol, themeButton } from "../lib/components.js";
import { drawBy, part } from "../lib/dom.js";
import { Feed, openFeed } from "../lib/feed.js";
import { liveView, trouble } from "../lib/head.js";
import { drawBits } from "../lib/oled.js";
import { wayTo, word } from "../lib/words.js";
import { Hands, VirtualTables } from "./tables.js";

/** @import { WordKey } from "../lib/words.js" */

// The buzzer's tone, silent until somebody asks for it.

const PITCH_HZ = 2_300; // about where small piezo buzzers resonate
const LOUDNESS = 0.05;
const FADE_S = 0.004; // no click

class Tone {
  /** @type {GainNode | null} */
  #gain = null;
  #on = false;
  #sounding = false;

  /** Turns the sound on or off; returns whether it is on. */
  toggle() {
    this.#on = !this.#on;
    if (this.#gain === null) this.#start();
    this.#apply();
    return this.#on;
  }

  /**
   * Whether the buzzer sounds now.
   * @param {boolean} sounding
   */
  set(sounding) {
    this.#sounding = sounding;
    this.#apply();
  }

  #start() {
    const context = new AudioContext();
    const gain = new GainNode(context, { gain: 0 });
    const oscillator = new OscillatorNode(context, { type: "square", frequency: PITCH_HZ });
    oscillator.connect(gain).connect(context.destination);
    oscillator.start();
    this.#gain = gain;
  }

  #apply() {
    if (this.#gain === null) return;
    this.#gain.gain.setTargetAtTime(this.#on && this.#sounding ? LOUDNESS : 0, this.#gain.context.currentTime, FADE_S);
  }
}

// The panel as its feed says, with hands for its buttons and its faults.

const ACTIONS = /** @type {const} */ ([
  ["tap", {}],
  ["bounce", {}],
  ["break_wire", { contact: "nc" }],
  ["break_wire", { contact: "no" }],
  ["mend_wire", {}],
  ["display_off", {}],
  ["display_on", {}],
]);
/** @type {Api.Panel} */
const UNHEARD = {
  sun: false,
  moon: false,
  pause_lamp: false,
  buzzer: false,
  display: { width: 128, height: 64, on: true, bits: "" },
  button: { pressed: false, wire: "ok" },
};

/**
 * @param {"moon" | "pause" | "sun"} name
 * @param {WordKey} key
 * @param {boolean} lit
 */
const lamp = (name, key, lit) => html`<figure class="lamp ${name} ${lit ? "lit" : ""}" data-is="lamp-${name}"><div class="lens">${symbol(name)}</div><figcaption>${word(key)} <b data-is="lamp-${name}-state">${word(lit ? "on" : "off")}</b></figcaption></figure>`;

function simulatedPanel() {
  const tone = new Tone();
  let panel = UNHEARD;
  let open = false;
  let sound = false;
  let mistake = "";
  const hands = new Hands((problem) => (mistake = problem));

  /** @param {Api.Panel} news */
  function take(news) {
    panel = news;
    tone.set(panel.buzzer);
    drawBits(part("oled"), panel.display);
  }

  /** @param {boolean} now */
  function setOpen(now) {
    open = now;
    if (!open) tone.set(false);
  }

  openFeed({ path: "/api/sim", onMessage: (/** @type {{ panel: Api.Panel }} */ news) => take(news.panel), onOpen: setOpen });

  return {
    draw() {
      const { button, buzzer, display } = panel;
      return html`<section class="panel">
        <i class="screw"></i><i class="screw"></i><i class="screw"></i><i class="screw"></i>
        <div class="lamps">${lamp("sun", "sun_lamp", panel.sun)}${lamp("moon", "moon_lamp", panel.moon)}</div>
        <figure class="display"><canvas data-is="oled" width="128" height="64" role="img" aria-label=${word("local_display")}></canvas><figcaption data-is="display-note">${word(display.on ? "local_display" : "display_dark")}</figcaption></figure>
        <div class="button-place">
          <div class="collar">${hands.button(symbol("pause"), { is: "button", look: `mushroom ${button.pressed ? "down" : ""}`, label: word("big_button") })}</div>
          <p class="note" data-is="button-note">${word(button.pressed ? "pressed_now" : "button_hint")}</p>
        </div>
        <div class="small-parts">
          ${lamp("pause", "pause_lamp", panel.pause_lamp)}
          <figure class="buzzer ${buzzer ? "lit" : ""}"><div class="grille"><i></i><i></i><i></i></div><figcaption>${word("buzzer")} <b data-is="buzzer-state">${word(buzzer ? "on" : "off")}</b></figcaption><button type="button" data-is="sound" aria-pressed=${sound} @click=${() => (sound = tone.toggle())}>${word(sound ? "sound_off" : "sound_on")}</button></figure>
          <figure class="shutdown">${hands.button(html`<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M12 3v8M7 6.5a7.5 7.5 0 1 0 10 0"/></svg>`, { look: "", label: word("shutdown_button"), actions: ["shutdown_press", "shutdown_release"] })}<figcaption>${word("shutdown_button")}</figcaption></figure>
        </div>
        <p class="panel-cover" data-is="panel-cover" role="status" ?hidden=${open}>${open ? "" : word("panel_lost")}</p>
      </section>`;
    },
    drawFaults() {
      const { wire } = panel.button;
      return html`<section class="card">
        <h2>${word("faults")}</h2>
        <p class="note" data-is="wire" data-wire=${wire}>${word(`wire_${wire}`)}</p>
        <div class="grid">${ACTIONS.map(([action, body]) => {
          const name = action === "break_wire" ? /** @type {const} */ (`${action}_${body.contact}`) : action;
          return html`<button type="button" data-action=${name} @click=${() => hands.do(action, body)}>${word(`action_${name}`)}</button>`;
        })}</div>
        <p class="mistake" data-is="sim-mistake" role="alert">${mistake}</p>
      </section>`;
    },
  };
}

const feed = new Feed();
const panel = simulatedPanel();
const tables = new VirtualTables();

function draw() {
  const page = html`
    <header><h1>${word("sim_title")}</h1><nav><a href=${wayTo("/")}>${word("to_hall")}</a><a href=${wayTo("/director")}>${word("to_director")}</a>${languageMenu()}${themeButton()}</nav>${trouble(feed)}</header>
    <main>
      ${panel.draw()}
      <aside><section class="card"><h2>${word("live_title")}</h2><div data-is="live"></div></section>${panel.drawFaults()}</aside>
      ${tables.draw()}
    </main>
    ${tables.detail.draw()}`;
  render(page, document.body);
}

function frame() {
  render(liveView(feed), part("live"));
  tables.drawSeen();
  requestAnimationFrame(frame);
}

drawBy(draw);
frame();
