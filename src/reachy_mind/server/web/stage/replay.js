// The replay of a trial on the stage: poses that were recorded in simulation, with what was said and done as captions.
// It sends nothing to the robot. The stage says throughout that this is not the robot.

import { element } from "../words.js";
import { RESTING } from "./stage.js";

const SPEEDS = [1, 4, 16, 60, 240];
const LONGEST_S = 45;
const CAPTION_S = 2.5;
const KINDS = { words: "says", photo: "takes a picture", sound: "plays", call: "calls", scene: "in the room:", limit: "held back:" };

/** "says “hello”": a mark in words. */
export function told({ kind, text, status }) {
  if (kind === "words") return `says “${text}”`;
  const ended = kind === "call" && status !== "ok" ? `, which ends with ${status}` : "";
  return [KINDS[kind] ?? kind, text].filter(Boolean).join(" ") + ended;
}

/** 4.2 s, 1:05 */
export function clock(seconds) {
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
}

export class Replay extends EventTarget {
  #stage = document.querySelector(".stage");
  #canvas = document.getElementById("canvas");
  #box = document.getElementById("replay");
  #title = element("strong");
  #caption = element("p", { className: "replay-caption" });
  #play = element("button", { type: "button", className: "quiet" });
  #bar = element("input", { type: "range", min: 0, step: 0.05 });
  #ticks = element("div", { className: "replay-ticks", ariaHidden: "true" });
  #time = element("span", { className: "replay-time" });
  #speed = element("select");
  #recorded = null;
  #at = 0;
  #since = null;
  #timer = 0;

  constructor() {
    super();
    const close = element("button", { type: "button", className: "quiet" }, "Close");
    const head = element("p", { className: "replay-head" }, element("span", { className: "replay-mark" }, "Replay, not the robot"), this.#title, close);
    this.#bar.setAttribute("aria-label", "Time of the replay");
    this.#speed.setAttribute("aria-label", "Speed of the replay");
    this.#caption.setAttribute("role", "status");
    this.#speed.append(...SPEEDS.map((speed) => element("option", { value: speed, textContent: `${speed}×` })));
    this.#box.append(head, this.#caption, element("div", { className: "replay-controls" }, this.#play, element("div", { className: "replay-line" }, this.#ticks, this.#bar), this.#time, this.#speed));
    close.addEventListener("click", () => this.close());
    this.#play.addEventListener("click", () => this.#toggle());
    this.#bar.addEventListener("input", () => this.seek(Number(this.#bar.value)));
    this.#speed.addEventListener("change", () => this.seek(this.#now()));
  }

  get isOpen() {
    return this.#recorded !== null;
  }

  /** Plays what was recorded of one case: {duration_s, times, poses, marks}. `title`: which case, as text. */
  open(title, recorded) {
    this.#recorded = recorded;
    this.#title.textContent = title;
    this.#bar.max = Math.max(recorded.duration_s, 0.1);
    this.#speed.value = SPEEDS.find((speed) => recorded.duration_s / speed <= LONGEST_S) ?? SPEEDS.at(-1);
    this.#ticks.replaceChildren(...recorded.marks.map((mark) => this.#tick(mark)));
    this.#box.hidden = false;
    this.#stage.dataset.replay = "on";
    this.#canvas.setAttribute("aria-label", "Replay of a trial in 3D, not the robot");
    clearInterval(this.#timer);
    this.#timer = setInterval(() => this.#show(), 100);
    this.#at = 0;
    this.#since = performance.now();
    this.#show();
    this.#play.focus({ preventScroll: true });
  }

  /** Back to the robot, at once. */
  close() {
    if (!this.#recorded) return;
    const had = this.#box.contains(document.activeElement);
    this.#recorded = null;
    clearInterval(this.#timer);
    this.#box.hidden = true;
    delete this.#stage.dataset.replay;
    this.#canvas.setAttribute("aria-label", "The robot in 3D");
    this.dispatchEvent(new CustomEvent("closed", { detail: had }));
  }

  seek(at) {
    this.#at = Math.min(Math.max(at, 0), this.#recorded.duration_s);
    if (this.#since !== null) this.#since = performance.now();
    this.#show();
  }

  /** The sixteen numbers to show now; null without a replay. */
  pose() {
    if (!this.#recorded) return null;
    if (!this.#recorded.poses.length) return RESTING; // it did not move
    const { times, poses } = this.#recorded;
    const at = this.#now();
    let low = 0;
    let high = times.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (times[middle] < at) low = middle + 1;
      else high = middle;
    }
    const from = poses[Math.max(low - 1, 0)];
    const start = times[Math.max(low - 1, 0)];
    const span = times[low] - start;
    const share = span > 0 ? Math.min(1, Math.max(0, (at - start) / span)) : 1;
    return poses[low].map((value, index) => from[index] + (value - from[index]) * share);
  }

  #now() {
    if (this.#since === null) return this.#at;
    return Math.min(this.#at + ((performance.now() - this.#since) / 1000) * Number(this.#speed.value), this.#recorded.duration_s);
  }

  #toggle() {
    const at = this.#now();
    const ended = at >= this.#recorded.duration_s;
    this.#at = ended && this.#since === null ? 0 : at;
    this.#since = this.#since === null ? performance.now() : null;
    this.#show();
  }

  #tick({ t, kind }) {
    const made = element("i", { className: kind });
    made.style.left = `${(100 * t) / Math.max(this.#recorded.duration_s, 0.1)}%`;
    return made;
  }

  #show() {
    const { duration_s: duration, marks } = this.#recorded;
    const at = this.#now();
    if (at >= duration && this.#since !== null) {
      this.#at = duration;
      this.#since = null;
    }
    const words = this.#since === null ? "Play" : "Pause";
    if (this.#play.textContent !== words) this.#play.textContent = words;
    this.#bar.value = at;
    this.#bar.setAttribute("aria-valuetext", `${clock(at)} of ${clock(duration)}`);
    this.#time.textContent = `${clock(at)} / ${clock(duration)}`;
    const lasts = CAPTION_S * Number(this.#speed.value);
    const last = marks.findLast(({ t }) => t <= at && t > at - lasts);
    const caption = last ? told(last) : "";
    if (this.#caption.textContent !== caption) this.#caption.textContent = caption;
  }
}
