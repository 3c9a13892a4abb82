// The buzzer's tone, silent until somebody asks for it.

const PITCH_HZ = 2_300; // about where small piezo buzzers resonate
const LOUDNESS = 0.05;
const FADE_S = 0.004; // no click

export class Tone {
  #context = null;
  #gain = null;
  #on = false;
  #sounding = false;

  /** Turns the sound on or off; returns whether it is on. */
  toggle() {
    this.#on = !this.#on;
    if (this.#context === null) this.#start();
    this.#apply();
    return this.#on;
  }

  /** Whether the buzzer sounds now. */
  set(sounding) {
    this.#sounding = sounding;
    this.#apply();
  }

  #start() {
    this.#context = new AudioContext();
    this.#gain = new GainNode(this.#context, { gain: 0 });
    const oscillator = new OscillatorNode(this.#context, { type: "square", frequency: PITCH_HZ });
    oscillator.connect(this.#gain).connect(this.#context.destination);
    oscillator.start();
  }

  #apply() {
    if (this.#gain === null) return;
    this.#gain.gain.setTargetAtTime(this.#on && this.#sounding ? LOUDNESS : 0, this.#context.currentTime, FADE_S);
  }
}
