// What the robot is doing now, in a few words: a tool that runs, else how it rests. And its pose in numbers.

import { deed, element } from "../words.js";

const DEGREES = 180 / Math.PI;
const SHORT_MS = 700;
const ROWS = [
  ["Head left", 5, DEGREES, "°"],
  ["Head down", 4, DEGREES, "°"],
  ["Head tilt", 3, DEGREES, "°"],
  ["Head forward", 0, 1000, " mm"],
  ["Head up", 2, 1000, " mm"],
  ["Body left", 6, DEGREES, "°"],
  ["Left antenna", 7, DEGREES, "°"],
  ["Right antenna", 8, DEGREES, "°"],
];

export class Doing {
  #box = document.getElementById("doing");
  #words = this.#box.querySelector(".words");
  #details = document.getElementById("numbers");
  #cells;
  #calls = new Map();
  #state = null;
  #link = null;
  #thinking = false;

  constructor() {
    const table = document.getElementById("pose");
    this.#cells = ROWS.map(([name]) => {
      const cell = element("dd", {}, "–");
      table.append(element("dt", {}, name), cell);
      return cell;
    });
  }

  /** A report of the robot. */
  moved(state) {
    this.#state = state;
    this.#tell();
    if (!this.#details.open) return;
    ROWS.forEach(([, index, scale, unit], row) => {
      const value = (state.pose[index] * scale).toFixed(0).replace(/^-0$/, "0");
      const text = `${value}${unit}`;
      if (this.#cells[row].textContent !== text) this.#cells[row].textContent = text;
    });
  }

  /** How the connection to the robot stands. */
  linked(link) {
    this.#link = link;
    if (link.status !== "connected") this.#state = null;
    this.#tell();
  }

  /** An event of the mind. */
  heard(event) {
    switch (event.type) {
      case "ToolStarted":
        if (!event.tool.startsWith("tasks.")) this.#calls.set(event.call_id, deed(event.tool, event.arguments));
        break;
      case "ToolCalled":
        // What is over in an instant would only flicker.
        setTimeout(() => this.#over(event.call_id), event.duration_ms < SHORT_MS ? SHORT_MS : 0);
        break;
      case "Missed":
        this.#calls.clear();
        break;
      case "MindChanged":
        this.#thinking = event.state === "processing";
        break;
      default:
        return;
    }
    this.#tell();
  }

  /** Events were lost: whether what ran still does is not known. */
  forgetCalls() {
    this.#calls.clear();
    this.#tell();
  }

  /** The server is gone: nothing is known any more. */
  forget() {
    this.#calls.clear();
    this.#state = this.#link = null;
    this.#thinking = false;
    this.#tell();
  }

  #over(callId) {
    this.#calls.delete(callId);
    this.#tell();
  }

  #tell() {
    const [state, words] = this.#now();
    if (this.#box.dataset.state !== state) this.#box.dataset.state = state;
    if (this.#words.textContent !== words) this.#words.textContent = words;
  }

  #now() {
    const running = [...this.#calls.values()].at(-1);
    if (running) return ["moving", capital(running)];
    if (!this.#link) return ["off", "Not connected"];
    if (this.#link.status === "none") return ["off", "No robot"];
    if (!this.#state) return ["off", "Robot not connected"];
    if (this.#thinking) return ["moving", "Thinking"];
    if (this.#state.busy) return ["moving", "Moving"];
    if (this.#state.mode === "disabled") return ["asleep", this.#state.awake ? "Motors off" : "Asleep"];
    return ["resting", "Awake, waiting for you"];
  }
}

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
