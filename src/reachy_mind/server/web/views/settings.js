// Settings and health: how everything is, the voices to choose from, and what is set, where that comes from, and what a change needs.

import { element } from "../words.js";
import { Health } from "./health.js";
import { Panel } from "./panel.js";
import { SettingList } from "./setting_list.js";
import { Tabs } from "./tabs.js";
import { VoiceList } from "./voice_list.js";

export default class Settings {
  #panel = new Panel("Settings", "How I am, and how I am set up.");
  #tabs;
  #parts;

  constructor({ notices }) {
    this.element = this.#panel.element;
    this.#parts = [new Health(), new VoiceList(notices), new SettingList(notices)];
    this.#tabs = new Tabs("Settings", this.#parts);
    const docs = element("p", { className: "lead" }, "For programs: ", element("a", { href: "/docs" }, "every route of the API"), ".");
    this.#panel.body.append(this.#tabs.element, docs);
  }

  enter() {
    this.#tabs.current.enter();
  }

  connected() {
    this.#tabs.current.enter();
  }

  heard(event) {
    for (const part of this.#parts) part.heard(event, part === this.#tabs.current && this.element.isConnected);
  }
}
