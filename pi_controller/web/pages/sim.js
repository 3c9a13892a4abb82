// The virtual hall: the panel as its feed says, and hands for its button and its faults.

import { render } from "./vendor/lit-html/lit-html.js";
import { furnish, make, part, setText, show } from "./dom.js";
import { liveView } from "./live.js";
import { OpenFeed } from "./open_feed.js";
import { startTheme } from "./theme.js";
import { troubleFeed } from "./trouble.js";
import { word } from "./words.js";
import { drawBits } from "./sim/oled.js";
import { Hands } from "./sim/hands.js";
import { VirtualTables } from "./sim/tables.js";
import { Tone } from "./sim/tone.js";

const LAMPS = /** @type {const} */ ([["lamp-sun", "sun"], ["lamp-moon", "moon"], ["lamp-pause", "pause_lamp"], ["buzzer", "buzzer"]]);
const DEEDS = /** @type {const} */ ([
  ["tap", {}],
  ["bounce", {}],
  ["break_wire", { contact: "nc" }],
  ["break_wire", { contact: "no" }],
  ["mend_wire", {}],
  ["display_off", {}],
  ["display_on", {}],
]);

furnish(word);
document.title = word("simTitle");
startTheme();

const tone = new Tone();
const hands = new Hands((problem) => setText(part("sim-mistake"), problem));
hands.hold(part("button"));
hands.hold(/** @type {HTMLButtonElement} */ (part("shutdown")), undefined, ["shutdown_press", "shutdown_release"]);
for (const [deed, body] of DEEDS) {
  const name = deed === "break_wire" ? /** @type {const} */ (`${deed}_${body.contact}`) : deed;
  const button = make("button", "", word(`deed_${name}`));
  button.type = "button";
  button.dataset.deed = name;
  button.addEventListener("click", () => hands.do(deed, body));
  part("faults").append(button);
}

const sound = part("sound");
sound.type = "button";
sound.addEventListener("click", () => nameSound(tone.toggle()));
nameSound(false);

/** @param {boolean} on */
function nameSound(on) {
  setText(sound, word(on ? "soundOff" : "soundOn"));
  sound.setAttribute("aria-pressed", String(on));
}

/** @param {Api.Panel} panel */
function take(panel) {
  for (const [name, field] of LAMPS) {
    part(name).classList.toggle("lit", panel[field]);
    setText(part(`${name}-state`), word(panel[field] ? "on" : "off"));
  }
  tone.set(panel.buzzer);
  drawBits(part("oled"), panel.display);
  setText(part("display-note"), word(panel.display.on ? "localDisplay" : "displayDark"));
  part("button").classList.toggle("down", panel.button.pressed);
  setText(part("button-note"), word(panel.button.pressed ? "pressedNow" : "buttonHint"));
  setText(part("wire"), word(`wire_${panel.button.wire}`));
  part("wire").dataset.wire = panel.button.wire;
}

/** @param {boolean} open */
function coverPanel(open) {
  show(part("panel-cover"), !open);
  setText(part("panel-cover"), open ? "" : word("panelLost"));
  if (!open) tone.set(false);
}

new OpenFeed({ path: "/api/sim", onMessage: ({ panel }) => take(panel), onOpen: coverPanel }).open();

const tables = new VirtualTables();

const feed = troubleFeed();

function frame() {
  render(liveView(feed), part("live"));
  tables.draw();
  requestAnimationFrame(frame);
}

frame();
