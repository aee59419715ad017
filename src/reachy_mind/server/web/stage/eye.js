// The camera picture: one after the other, as fast as they come but no faster than ten a second; none while nobody looks.

import { Trouble, ask } from "../wire.js";

const PAUSE_MS = 100;
const AFTER_TROUBLE_MS = 3000;
const ASK_HOW_IT_IS_MS = 5000;

export class Eye {
  #box = document.getElementById("eye");
  #image = document.getElementById("picture");
  #note = document.getElementById("eye-note");
  #fold = document.getElementById("fold-eye");
  #trouble = document.getElementById("eye-trouble");
  #askedAt = 0;
  #address = "";
  #running = false;

  constructor() {
    this.#fold.addEventListener("click", () => this.#setFolded(!this.#folded));
    document.addEventListener("visibilitychange", () => this.watch());
    new MutationObserver(() => this.watch()).observe(this.#box, { attributeFilter: ["data-folded"] });
    new ResizeObserver(() => this.watch()).observe(this.#box); // hidden with its view, and shown again
    this.#setFolded(localStorage.getItem("eye") === "folded");
  }

  get #folded() {
    return this.#box.hasAttribute("data-folded");
  }

  #setFolded(folded) {
    this.#box.toggleAttribute("data-folded", folded);
    this.#fold.setAttribute("aria-expanded", String(!folded));
    this.#fold.setAttribute("aria-label", folded ? "Show the camera picture" : "Fold the camera picture");
    localStorage.setItem("eye", folded ? "folded" : "open");
    this.watch();
  }

  /** Begins, unless it is under way; ends by itself when nobody looks. */
  async watch() {
    if (this.#running) return;
    this.#running = true;
    while (!this.#folded && !document.hidden && this.#box.clientWidth) {
      const began = performance.now();
      await rest((await this.#look()) ? Math.max(0, PAUSE_MS - (performance.now() - began)) : AFTER_TROUBLE_MS);
    }
    this.#running = false;
  }

  async #look() {
    try {
      if (this.#box.dataset.state !== "open" || performance.now() - this.#askedAt > ASK_HOW_IT_IS_MS) {
        const { available, reason, hint, trouble } = await ask("GET", "vision");
        if (!available) throw new Trouble({ message: reason, hint });
        this.#askedAt = performance.now();
        this.#warn(this.#box.dataset.state === "open" ? trouble : "");
      }
      const address = URL.createObjectURL(await ask("GET", "vision/frame"));
      URL.revokeObjectURL(this.#address);
      this.#image.src = this.#address = address;
      await this.#image.decode();
      this.#tell("open", "");
      return true;
    } catch (trouble) {
      const hint = trouble.hint ? ` (${trouble.hint})` : "";
      this.#tell("shut", `No picture: ${trouble.message}${hint}.`);
      this.#warn("");
      return false;
    }
  }

  /** A picture comes, and something is wrong with it: black, or always the same. */
  #warn(words) {
    this.#trouble.hidden = !words;
    if (this.#trouble.textContent !== words) this.#trouble.textContent = words;
  }

  #tell(state, words) {
    this.#box.dataset.state = state;
    this.#image.hidden = Boolean(words);
    this.#note.hidden = !words;
    if (this.#note.textContent !== words) this.#note.textContent = words;
  }
}

const rest = (ms) => new Promise((done) => setTimeout(done, ms));
