// Personality: who I am, who I could be, and writing somebody new. What is changed of who I am now shows at once.

import { ask } from "../wire.js";
import { element } from "../words.js";
import { Panel, chip, list } from "./panel.js";
import { ProfileEditor } from "./profile_editor.js";

export const title = (name) => name.replaceAll(/[_-]/g, " ").replace(/^./, (first) => first.toUpperCase());

export default class Personality {
  #panel = new Panel("Personality", "Who I am. Choose somebody to see how they speak; use them, or write your own.");
  #list = element("div");
  #editor;
  #chosen = null;
  #told = "";

  constructor({ notices }) {
    this.element = this.#panel.element;
    this.element.classList.add("wide");
    this.#editor = new ProfileEditor(notices, (name) => this.#refresh(name));
    this.#panel.body.append(element("div", { className: "beside" }, this.#list, this.#editor.element));
  }

  enter() {
    this.#refresh();
  }

  connected() {
    this.#refresh();
  }

  heard(event) {
    const changed = event.type === "ProfileChanged" || (event.type === "ToolCalled" && event.status === "ok" && /_personality$/.test(event.tool));
    if (changed && this.element.isConnected) this.#refresh();
  }

  /** @param choose whom to show then; null: who it is now */
  #refresh(choose = this.#chosen) {
    this.#chosen = choose; // at once: another refresh may overtake this one
    this.#panel.fill(() => ask("GET", "profiles?limit=500"), ({ profiles, active, voices, moods }) => {
      const offered = profiles.filter((profile) => !profile.hidden || profile.name === active);
      if (!offered.some(({ name }) => name === this.#chosen)) this.#chosen = active;
      const told = JSON.stringify([profiles, active, this.#chosen]);
      if (told === this.#told) return;
      this.#told = told;
      const people = list(offered.map((profile) => this.#card(profile, active)), "There is nobody.", "people");
      this.#list.replaceChildren(people);
      const at = this.#list.querySelector("[aria-current]")?.parentElement;
      if (at) people.scrollLeft = at.offsetLeft - people.offsetLeft; // on a phone they stand in a row
      this.#editor.show(this.#chosen, { active, voices, moods });
    }, this.#list);
  }

  #card({ name, about, source, broken }, active) {
    const words = element("span", { className: "words" }, element("strong", {}, title(name)), element("small", {}, broken || about));
    const card = element("button", { type: "button" }, words);
    if (name === active) card.append(chip("now", "own"));
    else if (source === "user") card.append(chip("yours"));
    if (name === this.#chosen) card.setAttribute("aria-current", "true");
    card.dataset.profile = name;
    card.addEventListener("click", () => this.#refresh(name));
    return element("li", {}, card);
  }
}
