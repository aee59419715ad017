// The box to type in: Enter sends, Shift+Enter breaks the line, the up arrow brings back what was said before.

import { element } from "../words.js";

const FIRST = ["hello, look left and dance", "wave to the class", "look surprised", "what can you do?"];
const LATER = ["nod twice, then look up", "be sad, then cheer up", "look right and wiggle your antennas", "set a timer for one minute", "tell me your pose", "shake your head", "dance to a waltz", "look curious", "what time is it?"];
const SHOWN = 4;
const REMEMBERED = 50;

export class Composer {
  #form = document.getElementById("composer");
  #box = document.getElementById("say");
  #chips = document.getElementById("chips");
  #tries = document.getElementById("tries");
  #say;
  #said = [];
  #back = 0;
  #next = 0;

  /** @param say takes what was typed; false where it could not go out, and it stays in the box */
  constructor(say) {
    this.#say = say;
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#send(this.#box.value);
    });
    this.#box.addEventListener("keydown", (event) => this.#key(event));
    this.#tries.replaceChildren(...FIRST.map((text) => this.#suggestion(text)));
  }

  focus() {
    this.#box.focus({ preventScroll: true });
  }

  /** What could not be said after all, back in the box. */
  restore(text) {
    if (text) this.#box.value = [text, this.#box.value].filter(Boolean).join("\n");
  }

  get isEmpty() {
    return !this.#box.value.trim();
  }

  /** A few more things to try, other ones each time. */
  suggest(show) {
    this.#chips.hidden = !show;
    if (!show) return;
    const few = Array.from({ length: SHOWN }, (_, index) => LATER[(this.#next + index) % LATER.length]);
    this.#next = (this.#next + SHOWN) % LATER.length;
    this.#chips.replaceChildren(...few.map((text) => this.#suggestion(text)));
    this.#chips.scrollLeft = 0;
  }

  #suggestion(text) {
    const button = element("button", { type: "button", textContent: text });
    button.addEventListener("click", () => {
      if (this.#say(text)) this.#remember(text);
      else this.#box.value = text;
      if (matchMedia("(hover: hover)").matches) this.focus();
    });
    return element("li", {}, button);
  }

  #send(text) {
    if (!text.trim() || !this.#say(text.trim())) return;
    this.#remember(text.trim());
    this.#box.value = "";
  }

  #remember(text) {
    if (this.#said.at(-1) !== text) this.#said.push(text);
    this.#said.splice(0, this.#said.length - REMEMBERED);
    this.#back = 0;
  }

  #key(event) {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      this.#form.requestSubmit();
    } else if (event.key === "ArrowUp" && (this.isEmpty || this.#back)) {
      this.#recall(event, 1);
    } else if (event.key === "ArrowDown" && this.#back) {
      this.#recall(event, -1);
    } else if (event.key.length === 1) {
      this.#back = 0;
    }
  }

  #recall(event, step) {
    event.preventDefault();
    this.#back = Math.min(this.#said.length, Math.max(0, this.#back + step));
    this.#box.value = this.#back ? this.#said.at(-this.#back) : "";
  }
}
