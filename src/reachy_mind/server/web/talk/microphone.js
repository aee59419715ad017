// The robot's own microphone: how it is, and a button that switches it.

import { ask } from "../wire.js";

const WORDS = { open: "Robot listens", off: "Robot's mic off", lost: "Robot's mic lost", opening: "Robot's mic opening", none: "No robot mic" };
const LABELS = {
  open: "The robot's microphone is on. Switch it off",
  off: "The robot's microphone is off. Switch it on",
  lost: "The robot's microphone is lost. Switch it off",
  opening: "The robot's microphone is being opened",
  none: "The robot does not listen",
};

export class Microphone {
  #button = document.getElementById("microphone");
  #words = this.#button.querySelector(".words");
  #notices;
  #turns;
  #state = "none";
  #asked = 0;

  /** @param turns shows what is said to it */
  constructor(notices, turns) {
    this.#notices = notices;
    this.#turns = turns;
    this.#button.addEventListener("click", () => this.#switch());
  }

  /** Ask the mind how it is. */
  async refresh() {
    const asked = ++this.#asked;
    try {
      const voice = await ask("GET", "voice");
      if (asked === this.#asked) this.#show(voice);
    } catch {
      if (asked === this.#asked) this.forget();
    }
  }

  /** The line went down: nothing is known. */
  forget() {
    this.#show({ available: false, state: "closed", reason: "not connected", hint: "" });
  }

  /** An event of the mind. */
  heard(event) {
    if (event.type === "VoiceChanged") this.refresh();
  }

  async #switch() {
    this.#button.disabled = true;
    try {
      this.#show(await ask("POST", "voice/microphone", { enabled: this.#state === "off" }));
    } catch (trouble) {
      this.#notices.toast([trouble.message, trouble.hint].filter(Boolean).join(". "));
      await this.refresh();
    }
  }

  #show({ available, state, microphone, wake, wake_word: word, session_id: session, reason, hint, trouble }) {
    this.#turns.follow("robot", session);
    this.#state = available ? microphone : state === "opening" ? "opening" : "none";
    this.#button.dataset.state = this.#state;
    this.#button.disabled = this.#state === "none" || this.#state === "opening";
    this.#button.setAttribute("aria-pressed", String(this.#state === "open"));
    this.#button.setAttribute("aria-label", LABELS[this.#state] ?? LABELS.none);
    const calling = { name: "Call it Reachy", word: `Say "${(word || "").replaceAll("_", " ")}"` };
    const first = this.#state === "open" ? calling[wake] : "";
    this.#button.title = [LABELS[this.#state], first, trouble || reason, hint].filter(Boolean).join(". ");
    this.#words.textContent = WORDS[this.#state] ?? WORDS.none;
  }
}
