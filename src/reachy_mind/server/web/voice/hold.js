// Push to talk: a button that is held, with a finger, the mouse or a key; or the space bar, wherever nothing else wants it.
// A tap does too, for whoever can't hold: the next one ends it.

const TAP_MS = 300;
const OTHERS = "a, button, input, select, textarea, summary, canvas, [contenteditable], [role=region]";

export class Hold {
  #button;
  #told;
  #down = false;
  #latched = false;
  #since = 0;

  /** @param button to hold @param told is given true while it is held @param isWanted whether the space bar is for it now */
  constructor(button, told, isWanted) {
    this.#button = button;
    this.#told = told;
    button.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      button.setPointerCapture(event.pointerId);
      this.#press();
    });
    for (const end of ["pointerup", "pointercancel"]) button.addEventListener(end, () => this.#lift());
    button.addEventListener("contextmenu", (event) => event.preventDefault()); // a long touch is none here
    button.addEventListener("click", (event) => {
      if (event.detail) return; // a pointer's, and done
      this.#press();
      this.#lift();
    });
    addEventListener("keydown", (event) => {
      if (!this.#isOurs(event, isWanted)) return;
      event.preventDefault();
      if (!event.repeat) this.#press();
    });
    addEventListener("keyup", (event) => {
      if (!this.#isOurs(event, isWanted)) return;
      event.preventDefault();
      this.#lift();
    });
    addEventListener("blur", () => this.release());
    document.addEventListener("visibilitychange", () => document.hidden && this.release());
  }

  /** Whatever is held: not any more. */
  release() {
    const was = this.#down || this.#latched;
    this.#down = this.#latched = false;
    if (was) this.#told(false);
  }

  #isOurs({ key, target, ctrlKey, altKey, metaKey }, isWanted) {
    if (ctrlKey || altKey || metaKey) return false;
    if (target === this.#button) return key === " " || key === "Enter";
    return key === " " && isWanted() && !target.closest?.(OTHERS);
  }

  #press() {
    if (this.#down) return;
    this.#down = true;
    if (this.#latched) return; // the second tap: it ends with this one
    this.#since = performance.now();
    this.#told(true);
  }

  #lift() {
    if (!this.#down) return;
    this.#down = false;
    this.#latched = !this.#latched && performance.now() - this.#since < TAP_MS;
    if (!this.#latched) this.#told(false);
  }
}
