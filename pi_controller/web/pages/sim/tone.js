// The buzzer's tone, silent until somebody asks for it.

const PITCH_HZ = 2_300; // about where small piezo buzzers resonate
const LOUDNESS = 0.05;
const FADE_S = 0.004; // no click

export class Tone {
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
