// The robot's microphone: how it is, a button that switches it, and what is said to it as turns of the conversation.

import { ask } from "../wire.js";

const WORDS = { open: "Listening", off: "Mic off", lost: "Mic lost", opening: "Mic opening", none: "No mic" };
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
  #told;
  #state = "none";
  #session = "";
  #turn = null;
  #asked = 0;

  /** @param told is given the events of a turn, as a chat socket tells them */
  constructor(notices, told) {
    this.#notices = notices;
    this.#told = told;
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
    this.#turn = null;
    this.#show({ available: false, state: "closed", reason: "not connected", hint: "" });
  }

  /** An event of the mind. */
  heard(event) {
    if (event.type === "VoiceChanged") this.refresh();
    if (event.type === "TurnStarted" && event.spoken && event.conversation === this.#session) {
      this.#turn = { id: event.turn_id, at: performance.now() };
      this.#told({ type: "started", turn: event.turn_id, text: event.text, session_id: event.conversation });
    }
    if (!this.#turn || event.conversation !== this.#session) return;
    const turn = this.#turn.id;
    if (event.type === "ReplyGrew" && event.turn_id === turn) this.#told({ type: "delta", turn, text: event.text });
    if (event.type === "ToolCalled") {
      this.#told({ type: "tool", turn, name: event.tool, args: event.arguments, status: event.status, error: event.error });
    }
    if (event.type === "TurnEnded" && event.turn_id === turn) {
      const { reply, brain, latency_ms, error } = event;
      const duration_ms = performance.now() - this.#turn.at;
      this.#turn = null;
      this.#told({ type: "done", turn, reply, brain, latency_ms, duration_ms, error });
    }
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
    this.#session = session || "";
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
