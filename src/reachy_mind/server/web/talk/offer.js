// A language model for a robot that has none, then a natural voice: what it is and takes, a button to get it, and how
// far that is. One at a time.

import { ask } from "../wire.js";
import { element } from "../words.js";

/** What can be offered, in this order. */
const KINDS = [
  {
    task: "chat",
    declined: "offer-declined",
    found: ({ recommended, offered }) => (offered ? recommended : null),
    sentence: (title) => `I could answer more with ${title}.`,
    arrived: "The model is here: I can think with it now.",
  },
  {
    task: "speech",
    declined: "voice-offer-declined",
    found: ({ voice }) => (voice.name ? voice : null),
    sentence: (title) => `I could sound more natural: ${title}.`,
    arrived: "The voice is here: I speak with it now.",
  },
];

export class Offer {
  #card = document.getElementById("offer");
  #notices;
  #mayPull = null;
  #name = "";
  #bar = null;
  #tasks = new Map();

  constructor(notices) {
    this.#notices = notices;
  }

  /** What is there now: after a (re)connection, and when a download begins or ends. */
  async refresh() {
    try {
      this.#mayPull ??= (await ask("GET", "me")).scopes.includes("admin");
      if (this.#mayPull) this.#show(await ask("GET", "models"));
    } catch {
      // The line is down again; it will be asked anew when it is back.
    }
  }

  heard(event) {
    if (event.type === "TurnEnded" && !this.#card.hidden && !this.#bar) this.refresh(); // a model may have come otherwise
    if (event.type !== "ModelPullChanged") return;
    if (event.state === "running" && event.name === this.#name && this.#bar) this.#progress(event);
    else this.refresh();
    const kind = KINDS.find(({ task }) => task === this.#tasks.get(event.name));
    if (event.state === "ready" && kind) this.#notices.toast(kind.arrived);
  }

  #show(found) {
    this.#tasks = new Map(found.models.map(({ name, task }) => [name, task]));
    this.#bar = null;
    for (const kind of KINDS) {
      const mine = found.models.filter(({ task }) => task === kind.task);
      const pulled = mine.find((model) => model.pull?.state === "running");
      const offered = kind.found(found);
      if (pulled) return this.#running(pulled);
      if (offered && localStorage.getItem(kind.declined) !== offered.name) {
        return this.#offer(kind, offered, mine.find((model) => model.pull?.state === "failed"));
      }
    }
    this.#hide();
  }

  #hide() {
    this.#card.hidden = true;
    this.#card.replaceChildren();
  }

  #offer(kind, { name, title, size, licence, licence_url: url, why }, failed) {
    this.#name = name;
    this.#card.setAttribute("aria-label", kind.task === "chat" ? "A language model for this robot" : "A natural voice for this robot");
    const terms = element("a", { href: url, target: "_blank", rel: "noopener noreferrer" }, licence);
    const about = element("small", { title: why }, `${bytes(size)} to download once, then it runs on this machine. Licence: `, terms);
    const get = element("button", { type: "button", className: "get", textContent: "Get it" });
    get.addEventListener("click", () => this.#ask(get, "POST"));
    const later = element("button", { type: "button", textContent: "Not now" });
    later.addEventListener("click", () => {
      localStorage.setItem(kind.declined, name);
      this.refresh();
    });
    const parts = [element("p", {}, kind.sentence(title)), acts(get, later), about];
    if (failed) {
      const { message, hint } = failed.pull.error;
      parts.push(element("small", { className: "trouble" }, `${failed.name} could not be fetched: ${message}${hint ? ` (${hint})` : ""}`));
    }
    this.#card.replaceChildren(...parts);
    this.#card.hidden = false;
  }

  #running({ name, pull }) {
    this.#name = name;
    const cancel = element("button", { type: "button", textContent: "Cancel" });
    cancel.addEventListener("click", () => this.#ask(cancel, "DELETE"));
    this.#bar = element("progress", { max: 1, ariaLabel: `Getting ${name}` });
    this.#card.replaceChildren(element("p", {}, `Getting ${name}`), acts(cancel), this.#bar, element("small"));
    this.#card.hidden = false;
    this.#progress(pull);
  }

  #progress({ stage, done, total }) {
    this.#bar.value = total ? done / total : 0;
    this.#card.querySelector("small").textContent = stage === "downloading" ? `${bytes(done)} of ${bytes(total)}` : `${stage}…`;
  }

  async #ask(button, method) {
    button.disabled = true;
    try {
      await ask(method, `models/${encodeURIComponent(this.#name)}/pull`);
      await this.refresh();
    } catch (trouble) {
      this.#notices.toast(`That did not work: ${trouble.message}`);
      button.disabled = false;
    }
  }
}

const acts = (...buttons) => element("div", { className: "acts" }, ...buttons);

/** 1.1 GB, 410 MB */
function bytes(count) {
  return count >= 1e9 ? `${(count / 1e9).toFixed(1)} GB` : `${Math.round(count / 1e6)} MB`;
}
