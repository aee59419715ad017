// Recording what a hand does: take the head, drag it in the picture or with sliders, record, and keep it, as a move or
// for another purpose.

import { Grip } from "../stage/grip.js";
import { element } from "../words.js";
import { Leading } from "./leading.js";
import { button, field } from "./panel.js";
import { plot } from "./plot.js";

const SLIDERS = [
  ["yaw", "Left and right", -150, 150],
  ["pitch", "Up and down", -40, 40],
  ["roll", "Tilt", -40, 40],
  ["antenna_left", "Left antenna", -170, 170],
  ["antenna_right", "Right antenna", -170, 170],
];
const FREE = "Take the head, then drag it in the picture, or use the sliders. I follow your hand.";
const HELD = "I follow: drag my head in the picture. Elsewhere in the picture you walk round me.";

/** A purpose: `fields` above the buttons, what a recording is `about` (null: something is missing), the `form` that keeps
 * it ({fields, read}), and the words when it was `saved`. */
const MOVE = {
  title: "Make your own",
  name: "Make your own move",
  fields: [],
  about: () => ({}),
  form() {
    const name = element("input", { type: "text", required: true, maxLength: 64, pattern: "[A-Za-z0-9_][A-Za-z0-9_\\-]*", autocomplete: "off" });
    const about = element("input", { type: "text", maxLength: 500, autocomplete: "off" });
    const fields = [field("Name", name, "letters, digits, - and _"), field("What it looks like", about)];
    return { fields, read: () => ({ name: name.value, description: about.value }) };
  },
  saved: ({ move }) => `Saved: ${move}.`,
};

export class Recorder {
  #notices;
  #purpose;
  #leading = new Leading();
  #grip = null;
  #state = "free";
  #recordNext = false;
  #about = {};
  #said = element("p", { className: "said-how" }, FREE);
  #take = button("Take the head", () => this.#toggle());
  #record = button("Record", () => this.#press(), "quiet record");
  #sliders = new Map();
  #fine = element("fieldset", { className: "sliders", disabled: true });
  #result = element("div", { className: "result" });

  /** @param stage may be null: then there are the sliders alone @param purpose as MOVE */
  constructor(notices, stage, purpose = MOVE) {
    this.#notices = notices;
    this.#purpose = purpose;
    if (stage) this.#grip = new Grip(document.getElementById("canvas"), stage, (wish) => this.#pull(wish));
    this.#said.setAttribute("role", "status");
    this.#fine.append(element("legend", { className: "hidden" }, "Where the robot looks"), ...SLIDERS.map((row) => this.#slider(row)));
    const buttons = element("p", { className: "buttons" }, this.#take, this.#record);
    const open = element("details", {}, element("summary", {}, "Sliders"), this.#fine);
    this.element = element("section", { className: "card" }, element("h3", {}, purpose.title), this.#said, ...purpose.fields, buttons, open, this.#result);
    this.element.setAttribute("aria-label", purpose.name);
    const told = { held: this.#held, released: this.#released, recording: this.#recording, take: this.#taken, saved: this.#saved, trouble: this.#trouble };
    for (const [type, act] of Object.entries(told)) this.#leading.addEventListener(type, ({ detail }) => act.call(this, detail));
    document.addEventListener("visibilitychange", () => document.hidden && this.#leading.release());
  }

  leave() {
    this.#leading.close();
    this.#free();
    this.#mark(false);
  }

  #slider([axis, name, min, max]) {
    const input = element("input", { type: "range", min, max, step: 1, value: 0 });
    input.addEventListener("input", () => this.#leading.pull({ [axis]: Number(input.value) }));
    this.#sliders.set(axis, input);
    return field(name, input);
  }

  #toggle() {
    if (this.#state === "free") this.#ask();
    else {
      this.#leading.release();
      this.#free();
    }
  }

  #ask() {
    this.#leading.open();
    this.#leading.take();
    this.#state = "asking";
    this.#take.textContent = "Never mind";
    this.#said.textContent = "One moment…";
  }

  #press() {
    this.#leading.open();
    const on = this.#record.getAttribute("aria-pressed") === "true";
    if (on) return this.#leading.record(false);
    this.#about = this.#purpose.about();
    if (!this.#about) return;
    this.#result.replaceChildren();
    if (this.#state === "held") return this.#leading.record(true, this.#about);
    this.#recordNext = true;
    if (this.#state === "free") this.#ask();
  }

  #pull(wish) {
    this.#leading.pull(wish);
    for (const [axis, value] of Object.entries(wish)) this.#sliders.get(axis).value = value;
  }

  #held() {
    this.#state = "held";
    this.#take.textContent = "Let go";
    this.#take.setAttribute("aria-pressed", "true");
    this.#said.textContent = HELD;
    this.#fine.disabled = false;
    for (const [axis, input] of this.#sliders) input.value = this.#leading.wish[axis];
    this.#grip?.allow(() => this.#leading.wish ?? { yaw: 0, pitch: 0 });
    if (this.#recordNext) this.#leading.record(true, this.#about);
    this.#recordNext = false;
  }

  #released({ reason, hint }) {
    this.#free();
    if (this.#record.getAttribute("aria-pressed") === "true") this.#leading.record(false);
    if (reason) this.#said.textContent = `I don't follow any more: ${reason}.${hint ? ` ${hint}.` : ""}`;
  }

  #free() {
    this.#state = "free";
    this.#recordNext = false;
    this.#grip?.allow(null);
    this.#fine.disabled = true;
    this.#take.textContent = "Take the head";
    this.#take.setAttribute("aria-pressed", "false");
    this.#said.textContent = FREE;
  }

  #recording() {
    this.#mark(true);
  }

  #mark(on) {
    this.#record.setAttribute("aria-pressed", String(on));
    this.#record.textContent = on ? "Stop recording" : "Record";
  }

  #taken(take) {
    this.#mark(false);
    const { fields, read } = this.#purpose.form();
    const save = element("button", { type: "submit", className: "strong" }, "Save");
    const away = button("Throw it away", () => this.#result.replaceChildren());
    const form = element("form", {}, ...fields, element("p", { className: "buttons" }, save, away));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#leading.save(read());
    });
    this.#result.replaceChildren(element("h4", {}, "Recorded"), plot(take), form);
    (form.querySelector("input") ?? save).focus();
  }

  #saved(told) {
    this.#result.replaceChildren();
    this.#notices.toast(this.#purpose.saved(told));
    this.#record.focus();
  }

  #trouble({ message, hint }) {
    if (this.#state === "asking") this.#free();
    this.#notices.toast(hint ? `${message} (${hint})` : message, 6000);
  }
}
