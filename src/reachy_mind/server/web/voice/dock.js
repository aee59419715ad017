// The voice on the page: a switch beside the text box, and above it, while it is on, what this device's microphone hears.

import { element } from "../words.js";
import { Hold } from "./hold.js";

const QUIETEST_DB = -60;
const DOING = {
  listening: "Listening to you",
  hearing: "I hear you",
  thinking: "Thinking",
  speaking: "Speaking",
};
const LINES = { connecting: "Getting ready to listen", lost: "The line to the mind is lost. Trying again" };

export class Dock {
  #switch = document.getElementById("voice-switch");
  #place = document.getElementById("voice");
  #state = element("span", { className: "words" });
  #how = element("small");
  #said = element("p", { className: "voice-said", hidden: true });
  #fill = element("i");
  #meter = element("div", { className: "voice-meter" }, this.#fill);
  #hold = element("button", { type: "button", className: "voice-hold", textContent: "Hold to talk" });
  #status = element("p", { className: "hidden" });
  #trouble = element("p", { className: "voice-trouble", hidden: true });
  #settings;
  #selects = {};
  #act;
  #holding;
  #chosen;
  #level = 0;
  #drawing = false;

  /** @param chosen {mode, input, output} @param act `toggle()`, `hold(on)`, `choose(name, value)`, `isOn()` */
  constructor(chosen, act) {
    this.#chosen = { ...chosen };
    this.#act = act;
    this.#switch.addEventListener("click", () => act.toggle());
    this.#holding = new Hold(this.#hold, (on) => act.hold(on), () => act.isOn() && this.#chosen.mode === "hold");
    this.#meter.setAttribute("role", "meter");
    this.#meter.setAttribute("aria-label", "How loud your microphone hears you");
    this.#meter.setAttribute("aria-valuenow", "0");
    this.#status.setAttribute("role", "status");
    this.#trouble.setAttribute("role", "alert");
    this.#settings = this.#details();
    const head = element("p", { className: "voice-state" }, element("span", { className: "dot", ariaHidden: "true" }), this.#state, this.#how);
    this.#place.append(this.#trouble, this.#status, element("div", { className: "voice-on" }, head, this.#said, this.#meter, this.#hold, this.#settings));
    this.show({ power: "off", line: "none", doing: "listening", held: false, mode: chosen.mode });
  }

  /** How it is now. */
  show({ power, line, doing, held, mode }) {
    const isOn = power !== "off";
    this.#chosen.mode = mode;
    this.#switch.dataset.state = power;
    this.#switch.setAttribute("aria-pressed", String(isOn));
    this.#switch.setAttribute("aria-label", isOn ? "Close this device's microphone" : "Talk through this device's microphone");
    this.#switch.title = isOn ? "Close the microphone of this device" : "Talk: opens the microphone of this device, not the robot's";
    this.#place.dataset.state = isOn ? now({ power, line, doing, held, mode }) : "off";
    this.#place.dataset.mode = mode;
    this.#place.hidden = !isOn && this.#trouble.hidden;
    this.#hold.hidden = mode !== "hold";
    this.#hold.textContent = held ? "I am listening. Let go to end" : "Hold to talk";
    this.#hold.setAttribute("aria-pressed", String(held));
    this.#tell(power, line, doing, held, mode);
    // The space bar is for talking now: on the switch it would end it.
    if (isOn && mode === "hold" && document.activeElement === this.#switch) this.#hold.focus();
    if (!isOn) {
      if (document.activeElement === this.#hold) this.#switch.focus();
      this.#holding.release();
      this.level(0);
      this.words("");
    }
  }

  /** What was understood so far, before it is a turn of the conversation. */
  words(text) {
    this.#said.textContent = text;
    this.#said.hidden = !text;
  }

  /** How loud the microphone is, 0 to 1. */
  level(loud) {
    this.#level = loud ? Math.max(0, Math.min(1, 1 - (20 * Math.log10(loud)) / QUIETEST_DB)) : 0;
    if (this.#drawing) return;
    this.#drawing = true;
    requestAnimationFrame(() => {
      this.#drawing = false;
      this.#fill.style.transform = `scaleX(${this.#level.toFixed(3)})`;
      this.#meter.setAttribute("aria-valuenow", String(Math.round(100 * this.#level)));
    });
  }

  /** What keeps it from working, an Obstacle, until the next try; null where nothing does. */
  trouble(obstacle) {
    this.#trouble.hidden = !obstacle;
    if (!obstacle) return this.#trouble.replaceChildren();
    const again = element("button", { type: "button", textContent: "Try again" });
    again.addEventListener("click", () => {
      this.#switch.focus();
      this.#act.toggle();
    });
    this.#trouble.replaceChildren(sentence(obstacle.message), element("small", {}, sentence(obstacle.hint)), again);
  }

  /** What there is to choose from. */
  devices({ inputs, outputs }, choosesOutput) {
    this.#fillIn("input", inputs);
    this.#fillIn("output", choosesOutput ? outputs : []);
  }

  #tell(power, line, doing, held, mode) {
    const waits = mode === "hold" && !held;
    const ready = power === "on" && line === "ready";
    const usual = waits && doing === "listening" ? "Ready when you are" : DOING[doing];
    const words = LINES[line] ?? (power === "opening" ? "Opening your microphone" : usual);
    this.#state.textContent = ready ? words : `${words}…`;
    const interrupt = waits ? "hold the button to interrupt" : "talk to interrupt";
    this.#how.textContent = ready && doing === "speaking" ? interrupt : "this device's microphone";
    const told = power === "off" ? "" : ready ? (mode === "hold" ? "Hold the button or the space bar to talk." : "Your microphone is open.") : this.#state.textContent;
    if (this.#status.textContent !== told) this.#status.textContent = told; // not every change of turns: that would be chatter
  }

  #details() {
    const modes = element("fieldset", {}, element("legend", {}, "When you are heard"));
    for (const [mode, words] of [["open", "All the time"], ["hold", "While I hold a button or the space bar"]]) {
      const radio = element("input", { type: "radio", name: "voice-mode", value: mode, checked: this.#chosen.mode === mode });
      radio.addEventListener("change", () => this.#act.choose("mode", mode));
      modes.append(element("label", {}, radio, words));
    }
    const parts = [modes];
    for (const [name, words] of [["input", "Microphone"], ["output", "Loudspeaker"]]) {
      const select = element("select", { ariaLabel: words });
      select.addEventListener("change", () => {
        this.#chosen[name] = select.value;
        this.#act.choose(name, select.value);
      });
      this.#selects[name] = { select, row: element("label", { hidden: true }, element("span", {}, words), select) };
      parts.push(this.#selects[name].row);
    }
    parts.push(element("p", {}, "This is the microphone of the device in front of you. The robot's own is switched at the top; in one room, use one of them."));
    return element("details", { className: "voice-settings" }, element("summary", {}, "Sound settings"), ...parts);
  }

  #fillIn(name, devices) {
    const { select, row } = this.#selects[name];
    select.replaceChildren(new Option("As the system has it", ""), ...devices.map(({ id, name: words }) => new Option(words, id)));
    select.value = devices.some(({ id }) => id === this.#chosen[name]) ? this.#chosen[name] : "";
    row.hidden = !devices.length;
  }
}

function now({ power, line, doing, held, mode }) {
  if (line !== "ready") return line;
  if (power === "opening") return "opening";
  return mode === "hold" && !held && doing === "listening" ? "waiting" : doing;
}

const sentence = (text) => (text ? text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".") : "");
