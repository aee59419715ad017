// From one sample rate to another, as the sound comes: a windowed sinc for each place between two samples.

const ZEROS = 12; // crossings of the sinc on either side: more are slower, fewer dull the voice
const PASSED = 0.94; // of the narrower band; the rest is the slope of the filter

export class Resampler {
  #up;
  #down;
  #half;
  #cutoff;
  #kernels = new Map();
  #kept;
  #index;
  #phase;

  /** @param from samples a second that come @param to samples a second that are wanted; whole numbers */
  constructor(from, to) {
    const shared = divisor(from, to);
    this.#up = to / shared;
    this.#down = from / shared;
    this.#cutoff = PASSED * Math.min(1, to / from);
    this.#half = Math.ceil(ZEROS / this.#cutoff);
    this.reset();
  }

  /** Begin anew: nothing has come. */
  reset() {
    this.#kept = new Float32Array(this.#half - 1);
    this.#index = this.#half - 1;
    this.#phase = 0;
  }

  /** What comes next; what can be told of it already. */
  feed(samples) {
    if (this.#up === this.#down) return samples;
    const sound = new Float32Array(this.#kept.length + samples.length);
    sound.set(this.#kept);
    sound.set(samples, this.#kept.length);
    const made = new Float32Array(Math.ceil(((sound.length - this.#index) * this.#up) / this.#down) + 1);
    let count = 0;
    while (this.#index + this.#half < sound.length) {
      made[count++] = this.#at(sound, this.#index - this.#half + 1);
      this.#phase += this.#down;
      this.#index += Math.floor(this.#phase / this.#up);
      this.#phase %= this.#up;
    }
    const used = this.#index - this.#half + 1;
    this.#kept = sound.slice(used);
    this.#index -= used;
    return made.subarray(0, count);
  }

  #at(sound, start) {
    const kernel = this.#kernel();
    let sum = 0;
    for (let tap = 0; tap < kernel.length; tap++) sum += kernel[tap] * sound[start + tap];
    return sum;
  }

  #kernel() {
    const known = this.#kernels.get(this.#phase);
    if (known) return known;
    const kernel = new Float32Array(2 * this.#half);
    const middle = this.#half - 1 + this.#phase / this.#up;
    let sum = 0;
    for (let tap = 0; tap < kernel.length; tap++) {
      const away = tap - middle;
      const angle = Math.PI * this.#cutoff * away;
      const window = Math.cos((Math.PI / 2) * Math.min(1, Math.abs(away) / this.#half)) ** 2;
      kernel[tap] = window * (angle ? Math.sin(angle) / angle : 1);
      sum += kernel[tap];
    }
    for (let tap = 0; tap < kernel.length; tap++) kernel[tap] /= sum;
    this.#kernels.set(this.#phase, kernel);
    return kernel;
  }
}

function divisor(one, other) {
  return other ? divisor(other, one % other) : one;
}
