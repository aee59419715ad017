// What the robot reported, played back a moment later and smoothly: between two reports the pose is interpolated.

const DELAY_S = 0.1;
const KEPT = 64;
const CLOCK_DRIFT = 0.0005;

export class Playback {
  #states = [];
  #offset = null;
  received = 0;

  /** A report: {at: Unix seconds, pose: nine numbers, joints: seven}. */
  add(state, now = performance.now() / 1000) {
    this.received += 1;
    const offset = now - state.at;
    // The quickest report tells the difference of the clocks best; the rest came late. It may drift a little.
    this.#offset = this.#offset === null ? offset : Math.min(offset, this.#offset + CLOCK_DRIFT);
    if (offset - this.#offset > 2) this.#offset = offset;
    const last = this.#states.at(-1);
    if (last && state.at <= last.at) {
      if (last.at - state.at < 2) return;
      this.#states.length = 0; // the robot's clock was set back
    }
    this.#states.push({ at: state.at, values: [...state.pose, ...state.joints] });
    if (this.#states.length > KEPT) this.#states.shift();
  }

  clear() {
    this.#states.length = 0;
    this.#offset = null;
  }

  /** Server seconds now, as far as the reports tell; null before the first. */
  get clock() {
    return this.#offset === null ? null : performance.now() / 1000 - this.#offset;
  }

  /** Pose and joints to show now, one list of sixteen numbers; null before the first report. */
  now(now = performance.now() / 1000) {
    const states = this.#states;
    if (!states.length) return null;
    const at = now - this.#offset - DELAY_S;
    let later = states.length - 1;
    while (later > 0 && states[later - 1].at > at) later -= 1;
    const to = states[later];
    const from = states[later - 1] ?? to;
    const span = to.at - from.at;
    const share = span > 0 ? Math.min(1, Math.max(0, (at - from.at) / span)) : 1;
    return from.values.map((value, index) => value + turn(to.values[index] - value) * share);
  }
}

/** The shorter way round. Lengths are far below half a turn, so they stay as they are. */
function turn(difference) {
  return difference - 2 * Math.PI * Math.round(difference / (2 * Math.PI));
}
