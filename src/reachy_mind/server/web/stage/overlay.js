// Boxes over the camera picture: what is recognised there, and by whom. Asked for only while they are shown and seen.

import { ask } from "../wire.js";
import { element } from "../words.js";

const PAUSE_MS = 400;
const AFTER_TROUBLE_MS = 3000;
const KEPT = "overlay";

export class Overlay {
  #eye = document.getElementById("eye");
  #button = document.getElementById("overlay");
  #layer = document.getElementById("boxes");
  #names = document.getElementById("names");
  #on = false;
  #running = false;

  constructor() {
    this.#button.addEventListener("click", () => this.#set(!this.#on));
    document.addEventListener("visibilitychange", () => this.watch());
    new MutationObserver(() => this.watch()).observe(this.#eye, { attributeFilter: ["data-folded"] });
    new ResizeObserver(() => this.watch()).observe(this.#eye);
    this.#set(localStorage.getItem(KEPT) === "on");
  }

  #set(on) {
    this.#on = on;
    this.#button.setAttribute("aria-pressed", String(on));
    this.#eye.toggleAttribute("data-boxes", on);
    localStorage.setItem(KEPT, on ? "on" : "off");
    if (!on) this.#show(null);
    this.watch();
  }

  /** When somebody asked for them, and always where the picture is large. */
  get #wanted() {
    return this.#on || this.#eye.closest(".camera") !== null;
  }

  get #looked() {
    return this.#wanted && !document.hidden && !this.#eye.hasAttribute("data-folded") && this.#eye.clientWidth > 0;
  }

  /** Begins, unless it is under way; ends by itself when nobody looks. */
  async watch() {
    if (this.#running) return;
    this.#running = true;
    while (this.#looked) {
      let pause = PAUSE_MS;
      try {
        const seen = await ask("GET", "vision/seen");
        this.#show(this.#wanted ? seen : null);
      } catch (trouble) {
        pause = AFTER_TROUBLE_MS;
        this.#show(null);
        this.#tell(this.#wanted ? `I can't tell what is there: ${trouble.message}.` : "");
      }
      await new Promise((done) => setTimeout(done, pause));
    }
    this.#running = false;
    if (!this.#wanted) this.#show(null);
  }

  #show(seen) {
    this.#eye.dispatchEvent(new CustomEvent("seen", { detail: seen }));
    const faces = seen?.faces ?? [];
    const things = seen?.things ?? [];
    const boxes = [
      ...things.map(({ name, confidence, box }) => ["thing", `${name} ${percent(confidence)}`, box]),
      ...faces.map(({ followed, box }) => (followed ? ["followed", "following", box] : ["face", "face", box])),
    ];
    this.#layer.replaceChildren(...boxes.map(([kind, label, box]) => this.#drawn(kind, label, box, seen)));
    this.#tell(seen ? words(seen, things, faces) : "");
  }

  /** The picture fills its frame and is cut where it is longer: so are the boxes. */
  #drawn(kind, label, { left, top, right, bottom }, { width, height }) {
    const { clientWidth, clientHeight } = this.#layer;
    const aspect = clientHeight && height ? width / height / (clientWidth / clientHeight) : 1;
    const [wide, high] = [Math.max(1, aspect), Math.max(1, 1 / aspect)];
    const made = element("div", { className: `seen ${kind}` }, element("span", {}, label));
    const place = { left: (left - 0.5) * wide + 0.5, top: (top - 0.5) * high + 0.5, width: (right - left) * wide, height: (bottom - top) * high };
    for (const [edge, share] of Object.entries(place)) made.style[edge] = `${share * 100}%`;
    made.toggleAttribute("data-top", place.top < 0.12);
    return made;
  }

  #tell(text) {
    this.#names.hidden = !text;
    if (this.#names.textContent !== text) this.#names.textContent = text;
  }
}

const percent = (share) => `${Math.round(share * 100)}%`;

const CAMERA = { off: "The camera is off", lost: "The camera is lost", dark: "Black picture", frozen: "Frozen picture" };

/** "apple, 2 ducks, 1 face, followed (sim)"; or what is the matter with the camera. */
function words({ camera, reason, hint, missing }, things, faces) {
  if (camera !== "open") return `${CAMERA[camera] ?? camera}: ${reason}${hint ? ` (${hint})` : ""}.`;
  const counts = new Map();
  for (const { name } of things) counts.set(name, (counts.get(name) ?? 0) + 1);
  const named = [...counts].map(([name, count]) => (count > 1 ? `${name} ×${count}` : name));
  if (faces.length) named.push(`${faces.length} face${faces.length > 1 ? "s" : ""}${faces.some((face) => face.followed) ? ", one followed" : ""}`);
  const by = [...new Set(things.map((thing) => thing.detector))].join(", ");
  const found = named.length ? `${named.join(", ")}${by ? ` (${by})` : ""}` : "Nothing I know";
  return missing?.length ? `${found}. Not looked for: ${missing.join("; ")}` : found;
}
