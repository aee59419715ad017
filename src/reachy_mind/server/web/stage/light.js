// The robot's light: a glow on the stage in its colour.

import { ask } from "../wire.js";

export class Light {
  #glow = document.getElementById("light");

  /** An event of the mind. */
  heard(event) {
    if (event.type === "LightChanged") this.#show(event);
  }

  /** Ask for it: it may have changed while nobody listened. */
  async refresh() {
    try {
      this.#show(await ask("GET", "robot/light"));
    } catch {
      this.#glow.hidden = true; // nothing is known of it
    }
  }

  #show({ color, brightness, effect }) {
    const shines = effect !== "off" && brightness > 0;
    this.#glow.hidden = !shines;
    if (!shines) return;
    this.#glow.style.setProperty("--light", color);
    this.#glow.style.setProperty("--level", String(0.25 + 0.75 * brightness));
    this.#glow.dataset.effect = effect;
    this.#glow.setAttribute("aria-label", `Its light is ${effect === "solid" ? "on" : effect}: ${color}`);
  }
}
