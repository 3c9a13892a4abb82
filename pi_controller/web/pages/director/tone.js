// The tone of a new claim, made by the page itself. Browsers let a page sound only after its first click or key.

const KEY = "claim-tone";
const NOTES = /** @type {const} */ ([[660, 0], [880, 0.18]]); // Hz, seconds after the beginning
const LONG_S = 0.3;
const LOUD = 0.25; // of the full scale

export class ClaimTone {
  /** @type {AudioContext | null} */
  #context = null;

  constructor() {
    for (const gesture of ["pointerdown", "keydown"]) document.addEventListener(gesture, () => this.#wake());
  }

  get on() {
    return localStorage.getItem(KEY) !== "off";
  }

  /** The choice is kept in this browser. */
  toggle() {
    localStorage.setItem(KEY, this.on ? "off" : "on");
  }

  /** Nothing where it is switched off or not allowed yet: late it would tell of nothing. */
  sound() {
    const context = this.#context;
    if (!this.on || context?.state !== "running") return;
    for (const [hertz, after] of NOTES) {
      const [note, gain, from] = [context.createOscillator(), context.createGain(), context.currentTime + after];
      note.frequency.value = hertz;
      gain.gain.setValueAtTime(LOUD, from);
      gain.gain.exponentialRampToValueAtTime(0.001, from + LONG_S);
      note.connect(gain).connect(context.destination);
      note.start(from);
      note.stop(from + LONG_S);
    }
  }

  #wake() {
    this.#context ??= new AudioContext();
    if (this.#context.state === "suspended") this.#context.resume();
  }
}
