// Talking with the mind through this device: its microphone goes out on a line of its own, the answers come back on it.

import { Wire } from "../wire.js";
import { Dock } from "./dock.js";
import { Obstacle } from "./obstacles.js";
import { Sound } from "./sound.js";

const KEPT = "voice";
const TAIL_MS = 250; // a button is let go of before the last word has ended
const OURS = { mode: "open", input: "", output: "" };

export class Voice {
  #conversation;
  #notices;
  #turns;
  #told;
  #wire;
  #sound;
  #dock;
  #chosen = { ...OURS, ...remembered() };
  #power = "off"; // opening, on
  #line = "none"; // connecting, ready, lost
  #doing = "listening";
  #held = false;
  #tail = 0;
  #ready = () => {};
  #session = "";
  #measured = { sent: 0, played: 0, loudest: 0 };

  /**
   * @param conversation {id} of what is typed, and said, here @param notices to tell what passes
   * @param turns {@link SpokenTurns}, to show what is said @param told is given what becomes of a turn later
   */
  constructor(conversation, notices, turns, told) {
    this.#conversation = conversation;
    this.#notices = notices;
    this.#turns = turns;
    this.#told = told;
    this.#wire = new Wire(() => `/api/v1/ws/voice?session_id=${encodeURIComponent(this.#session)}`);
    this.#wire.addEventListener("open", () => this.#opened());
    this.#wire.addEventListener("told", ({ detail }) => this.#hear(detail));
    this.#wire.addEventListener("sound", ({ detail }) => this.#sound.play(detail));
    this.#wire.addEventListener("shut", () => this.#lost());
    this.#sound = new Sound({
      heard: (pcm, level) => this.#send(pcm, level),
      played: (report) => this.#played(report),
      lost: () => this.#replace(),
    });
    this.#dock = new Dock(this.#chosen, {
      toggle: () => (this.#power === "off" ? this.#start() : this.stop()),
      hold: (on) => this.#hold(on),
      choose: (name, value) => this.#choose(name, value),
      isOn: () => this.#power !== "off",
    });
    document.addEventListener("visibilitychange", () => document.hidden || this.#sound.wake());
    navigator.mediaDevices?.addEventListener("devicechange", () => this.#power === "on" && this.#listDevices());
  }

  /** Blocks that went out, reports of something that was played, the loudest of it: for tests and measurements. */
  get measured() {
    return { ...this.#measured, power: this.#power, line: this.#line };
  }

  /** The conversation on the line, which may not have begun; null where there is no line. */
  get session() {
    return this.#power === "off" ? null : this.#session;
  }

  /** Another conversation, null for a new one: the line goes on in that. */
  converse(id) {
    if (this.#power === "off" || id === this.#session) return;
    this.#join();
    this.#connect();
  }

  /** Be silent, now. */
  hush() {
    if (this.#doing !== "speaking" || this.#line !== "ready") return;
    this.#sound.hush();
    this.#wire.send({ type: "interrupt" });
  }

  /** The microphone is closed, and the line with it. */
  stop(obstacle = null) {
    clearTimeout(this.#tail);
    this.#tail = 0;
    this.#wire.close();
    this.#sound.close();
    this.#ready();
    this.#turns.follow("voice", "");
    this.#power = "off";
    this.#line = "none";
    this.#doing = "listening";
    this.#held = false;
    this.#dock.trouble(obstacle);
    this.#show();
  }

  async #start() {
    this.#power = "opening";
    this.#dock.trouble(null);
    this.#join();
    this.#sound.listen(this.#isHeard);
    const answered = new Promise((ready) => (this.#ready = ready));
    this.#connect();
    try {
      await this.#sound.open(this.#chosen, answered); // nobody is listened to before there is somebody who hears it
    } catch (obstacle) {
      if (this.#power === "opening") this.stop(obstacle);
      return;
    }
    this.#power = "on";
    this.#show();
    this.#listDevices();
  }

  #connect() {
    this.#line = "connecting";
    this.#doing = "listening";
    this.#sound.flush(0);
    this.#wire.connect();
    this.#show();
  }

  /** What is typed goes on with what is said, and the other way round. */
  #join() {
    this.#session = this.#conversation.id || crypto.randomUUID().replaceAll("-", "");
    this.#turns.follow("voice", this.#session);
  }

  #opened() {
    this.#sound.flush(0); // a new line counts from its beginning
    if (!this.#isHeard) this.#wire.send({ type: "stop" });
  }

  #lost() {
    if (this.#power === "off") return;
    this.#line = "lost";
    this.#doing = "listening";
    this.#sound.flush(0);
    this.#show();
  }

  #hear(told) {
    switch (told.type) {
      case "state":
        if (told.microphone === "opening") return;
        this.#line = "ready";
        this.#ready();
        this.#doing = told.doing;
        if (["thinking", "speaking"].includes(told.doing)) this.#dock.words(""); // it is a turn now
        break;
      case "transcription":
        this.#dock.words(told.text);
        break;
      case "flush":
        this.#sound.flush(told.number);
        break;
      case "interrupted":
        this.#told({ type: "cut", turn: this.#turns.latest, heard: told.heard });
        break;
      case "error":
        if (this.#line !== "ready") return this.stop(new Obstacle("failed", told)); // it was refused: no use to ask again
        this.#notices.toast([told.message, told.hint].filter(Boolean).join(". "));
        break;
    }
    this.#show();
  }

  get #isHeard() {
    return this.#chosen.mode === "open" || this.#held;
  }

  #send(pcm, level) {
    if (this.#power !== "on") return;
    if (!this.#isHeard && !this.#tail) return this.#dock.level(0);
    this.#dock.level(level);
    if (this.#wire.send(pcm)) this.#measured.sent += 1;
  }

  #played({ played, number, level }) {
    this.#wire.send({ type: "played", samples: played, number });
    if (level > 0) this.#measured.played += 1;
    this.#measured.loudest = Math.max(this.#measured.loudest, level);
  }

  #hold(on) {
    if (this.#power === "off" || this.#chosen.mode !== "hold") return;
    clearTimeout(this.#tail);
    this.#tail = 0;
    this.#held = on;
    if (on) {
      this.hush();
      this.#sound.listen(true);
      this.#wire.send({ type: "start" });
    } else {
      this.#tail = setTimeout(() => this.#deaf(), TAIL_MS);
    }
    this.#show();
  }

  #deaf() {
    this.#tail = 0;
    this.#sound.listen(false);
    this.#wire.send({ type: "stop" });
  }

  async #choose(name, value) {
    this.#chosen = { ...this.#chosen, [name]: value };
    localStorage.setItem(KEPT, JSON.stringify(this.#chosen));
    if (this.#power === "on") {
      if (name === "input") await this.#replace(value);
      if (name === "output") await this.#sound.speakThrough(value);
      if (name === "mode") {
        this.#sound.listen(this.#isHeard);
        this.#wire.send({ type: this.#isHeard ? "start" : "stop" });
      }
    }
    this.#show();
  }

  /** Another microphone in the place of this one, which may have gone: the one that was chosen, or the usual one. */
  async #replace(input) {
    try {
      await this.#sound.hearThrough(input ?? "");
      if (input === undefined) this.#notices.toast("Your microphone has gone: another one listens now.");
      await this.#listDevices();
    } catch (obstacle) {
      if (this.#power === "on") this.stop(input === undefined ? new Obstacle("lost") : obstacle);
    }
  }

  async #listDevices() {
    this.#dock.devices(await Sound.devices(), Sound.choosesOutput);
  }

  #show() {
    this.#dock.show({ power: this.#power, line: this.#line, doing: this.#doing, held: this.#held, mode: this.#chosen.mode });
  }
}

function remembered() {
  try {
    return JSON.parse(localStorage.getItem(KEPT)) ?? {};
  } catch {
    return {};
  }
}
