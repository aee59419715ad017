// Tabs inside a view: one of several parts is shown. Arrow keys go from one to the next.

import { element } from "../words.js";
import { fresh } from "./panel.js";

export class Tabs {
  #parts;
  #buttons;
  #at = -1;

  /** @param parts [{name, element, enter?, leave?}] */
  constructor(label, parts) {
    this.#parts = parts;
    this.#buttons = parts.map((part, index) => this.#tab(part, index));
    const list = element("div", { className: "tabs" }, ...this.#buttons);
    list.setAttribute("role", "tablist");
    list.setAttribute("aria-label", label);
    list.addEventListener("keydown", (event) => this.#steer(event));
    this.element = element("div", { className: "tabbed" }, list, ...parts.map((part) => part.element));
    this.show(0);
  }

  get current() {
    return this.#parts[this.#at];
  }

  show(index) {
    if (index === this.#at) return;
    const before = this.#parts[this.#at];
    this.#at = index;
    before?.leave?.();
    this.#parts.forEach((part, number) => {
      part.element.hidden = number !== index;
      this.#buttons[number].setAttribute("aria-selected", String(number === index));
      this.#buttons[number].tabIndex = number === index ? 0 : -1;
    });
    this.#buttons[index].scrollIntoView({ block: "nearest", inline: "nearest" });
    if (before) this.current.enter?.();
  }

  #tab(part, index) {
    const made = element("button", { type: "button", id: fresh("tab"), textContent: part.name });
    part.element.id ||= fresh("part");
    made.setAttribute("role", "tab");
    made.setAttribute("aria-controls", part.element.id);
    part.element.setAttribute("role", "tabpanel");
    part.element.setAttribute("aria-labelledby", made.id);
    made.addEventListener("click", () => this.show(index));
    return made;
  }

  #steer(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = (this.#at + step + this.#parts.length) % this.#parts.length;
    this.show(next);
    this.#buttons[next].focus();
  }
}
