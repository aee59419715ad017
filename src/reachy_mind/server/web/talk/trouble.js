// Parts of the mind that do not work: a banner for as long as that lasts, and a word when they are back.

const NAMES = { ears: "My hearing", voice: "My voice", chat: "My language model", embeddings: "My memory search", camera: "My camera" };

const BRAIN_TOAST_MS = 8000;
const BRAIN = {
  found: (which) => `I found a language model: ${which}. I load it, and go on as I am until it is ready.`,
  ready: (which) => `My language model is ready: ${which}.`,
  failed: (reason) => `The language model can't be used: ${reason}.`,
};

/** A part in words: "ears moonshine" is "My hearing". */
function named(part) {
  return NAMES[part] ?? NAMES[part.split(" ")[0]] ?? `My ${part}`;
}

export class Trouble {
  #notices;
  #standing = new Set();

  constructor(notices) {
    this.#notices = notices;
  }

  /** Ask the mind what does not work. */
  async refresh() {
    try {
      const answer = await fetch("/readyz");
      if (!answer.ok) return; // the connection to the robot or to the mind has a banner of its own
      const { trouble } = await answer.json();
      for (const part of this.#standing) if (!(part in trouble)) this.#back(part);
      for (const [part, reason] of Object.entries(trouble)) this.#show(part, reason);
    } catch {
      // not connected: that has a banner of its own
    }
  }

  /** An event of the mind. */
  heard(event) {
    if (event.type === "CameraChanged") this.#changed("camera", event.camera === "lost", event.reason);
    if (event.type === "BrainChanged") this.#notices.toast(BRAIN[event.state](event.thinking), BRAIN_TOAST_MS);
    if (event.type === "WorkerChanged") this.#changed(event.name, event.state !== "ready", event.reason);
  }

  #changed(part, wrong, reason) {
    if (wrong) this.#show(part, reason);
    else this.#back(part);
  }

  #show(part, reason) {
    this.#standing.add(part);
    this.#notices.stand(`part ${part}`, { text: `${named(part)} does not work: ${reason}.`, hint: "I try again by myself." });
  }

  #back(part) {
    if (!this.#standing.delete(part)) return;
    this.#notices.stand(`part ${part}`, null);
    this.#notices.toast(`${named(part)} works again.`);
  }
}
