// Tools: what I can do, each to be tried with a form; what was done; what runs; and what I may do without asking.

import { ask } from "../wire.js";
import { element, spoken } from "../words.js";
import { Filtered } from "./filtered.js";
import { History } from "./history.js";
import { Panel, chip, opening } from "./panel.js";
import { Permissions } from "./permissions.js";
import { Tabs } from "./tabs.js";
import { TaskList } from "./task_list.js";
import { ToolForm } from "./tool_form.js";

const TIERS = { autonomous: "by myself", notify: "I tell you", confirm: "I ask first", forbidden: "never" };

export default class Tools {
  #panel = new Panel("Tools", "Everything I can do is a tool. Try one, see what was done, and decide what I may do without asking you.");
  #tabs;
  #parts;

  constructor({ notices }) {
    this.element = this.#panel.element;
    this.element.classList.add("wide");
    this.#parts = [new Catalogue(), new History(), new TaskList(notices), new Permissions(notices)];
    this.#tabs = new Tabs("Tools", this.#parts);
    this.#panel.body.append(this.#tabs.element);
  }

  enter() {
    this.#tabs.current.enter();
  }

  connected() {
    this.#tabs.current.enter();
  }

  heard(event) {
    for (const part of this.#parts) part.heard?.(event, part === this.#tabs.current && this.element.isConnected);
  }
}

/** All tools by group, each with a form. */
class Catalogue {
  name = "Try";
  #panel = new Panel("All tools");
  #rows = new Filtered("look, remember, timer…", "No tool is like that.");
  #told = "";

  constructor() {
    this.element = element("div", {}, this.#rows.element);
  }

  enter() {
    this.#panel.fill(() => ask("GET", "tools"), ({ tools }) => {
      const told = JSON.stringify(tools);
      if (told === this.#told && this.#rows.list.querySelector("h3")) return; // a form may be half filled in
      this.#told = told;
      this.#rows.show(tools.map((tool) => ({ group: tool.group, words: `${tool.group} ${spoken(tool.name)} ${tool.name} ${tool.description}`, element: row(tool) })));
    }, this.#rows.list);
  }
}

function row(tool) {
  const first = tool.description.split("\n")[0];
  const words = element("span", { className: "words" }, element("strong", {}, spoken(tool.name)), element("small", {}, first));
  const made = opening([words, chip(TIERS[tool.tier_name], tool.tier_name)], (inside) => inside.append(new ToolForm(tool).element));
  made.dataset.tool = `${tool.group}.${tool.name}`;
  return made;
}
