// The sound of an alarm. Browsers allow none before the first click or key on the page.

const ROUND_MS = 1600;

export class Siren {
  #context = null;
  #timer = 0;
  #changed;

  constructor(changed) {
    this.#changed = changed;
    for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, () => this.allow(), { capture: true });
  }

  /** Whether it could be heard. */
  get allowed() {
    return this.#context?.state === "running";
  }

  /** Called by a click: from now on there may be sound. */
  async allow() {
    if (this.allowed || !window.AudioContext) return;
    this.#context ??= new AudioContext();
    await this.#context.resume();
    this.#changed();
  }

  start() {
    if (this.#timer) return;
    this.#sound();
    this.#timer = setInterval(() => this.#sound(), ROUND_MS);
  }

  stop() {
    clearInterval(this.#timer);
    this.#timer = 0;
  }

  get sounding() {
    return this.#timer !== 0;
  }

  #sound() {
    if (!this.allowed) return;
    const start = this.#context.currentTime;
    for (const [at, pitch] of [[0, 880], [0.28, 660], [0.56, 880], [0.84, 660]]) {
      const tone = new OscillatorNode(this.#context, { type: "triangle", frequency: pitch });
      const volume = new GainNode(this.#context, { gain: 0 });
      volume.gain.setTargetAtTime(0.5, start + at, 0.01);
      volume.gain.setTargetAtTime(0, start + at + 0.22, 0.02);
      tone.connect(volume).connect(this.#context.destination);
      tone.start(start + at);
      tone.stop(start + at + 0.35);
    }
  }
}
