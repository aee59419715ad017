// Leading the robot: the socket on which it follows a hand, and what is recorded meanwhile.

import { Wire } from "../wire.js";

const SAY_AGAIN_MS = 80;

/** Events: `held` {pose}, `released` {reason, hint}, `recording`, `take` {duration_s, ...}, `saved` {move, demo_id}, `trouble`. */
export class Leading extends EventTarget {
  #wire = new Wire(() => "/api/v1/ws/teleoperate");
  #timer = 0;
  #wish = null;
  #wanted = [];
  isOpen = false;

  constructor() {
    super();
    this.#wire.addEventListener("told", ({ detail }) => this.#told(detail));
    this.#wire.addEventListener("open", () => this.#wanted.splice(0).forEach((frame) => this.#wire.send(frame)));
    this.#wire.addEventListener("shut", () => this.#over({ reason: "the mind does not answer" }));
  }

  /** Where the robot is meant to be; null while it does not follow. */
  get wish() {
    return this.#wish;
  }

  /** The line is needed only in this view. */
  open() {
    if (this.isOpen) return;
    this.isOpen = true;
    this.#wire.connect();
  }

  close() {
    this.release();
    this.isOpen = false;
    this.#wanted.length = 0;
    this.#wire.close();
  }

  take() {
    this.#send({ type: "take" });
  }

  release() {
    if (this.#wish) this.#wire.send({ type: "release" });
    this.#hush();
  }

  /** Part of a pose: {yaw, pitch, ...} in degrees. */
  pull(wish) {
    if (this.#wish) Object.assign(this.#wish, wish);
  }

  /** @param about what it is for: {task, camera} of a demonstration, nothing of a move */
  record(on, about = {}) {
    this.#send({ type: "record", on, ...about });
  }

  /** @param about {name, description} of a move, {task} of a demonstration */
  save(about) {
    this.#send({ type: "save", ...about });
  }

  #send(frame) {
    if (!this.#wire.send(frame)) this.#wanted.push(frame);
  }

  #told(told) {
    const { type } = told;
    if (type === "held") {
      const { yaw, pitch, roll, antenna_left, antenna_right } = told.pose;
      this.#wish = { yaw, pitch, roll, antenna_left, antenna_right };
      clearInterval(this.#timer);
      // Said again and again: who falls silent has let go.
      this.#timer = setInterval(() => this.#wire.send({ type: "pose", ...this.#wish }), SAY_AGAIN_MS);
    }
    if (type === "released") this.#over(told);
    else this.dispatchEvent(new CustomEvent(type === "error" ? "trouble" : type, { detail: told }));
  }

  #over(told) {
    const held = Boolean(this.#wish);
    this.#hush();
    if (held || told.reason) this.dispatchEvent(new CustomEvent("released", { detail: told }));
  }

  #hush() {
    clearInterval(this.#timer);
    this.#wish = null;
  }
}
