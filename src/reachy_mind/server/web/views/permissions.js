// Permissions: what I may do by myself, tool by tool; a change is a question to a person first, like any other.

import { ask } from "../wire.js";
import { element, spoken } from "../words.js";
import { Filtered } from "./filtered.js";
import { Panel, choice, note } from "./panel.js";

const TIERS = [["autonomous", "by myself"], ["notify", "and tell you"], ["confirm", "after asking you"], ["forbidden", "never"]];
const STOP = "robot.stop";
const SELF = "mind.set_permission";
const ASKING = [SELF, "mind.change_setting"];

export class Permissions {
  name = "Permissions";
  #notices;
  #panel = new Panel("Permissions");
  #rows = new Filtered("nod, memory…", "No tool is like that.");
  #rules = element("div", { className: "card" });
  #told = { tools: {}, acts: [], rules: [], file: "", trouble: "" };

  constructor(notices) {
    this.#notices = notices;
    const lead = element("p", { className: "lead" }, "How I do each thing. A change is written to your file of permissions once you have said yes to it. Stop always works, and can't be changed.");
    this.element = element("div", {}, lead, this.#rows.element, this.#rules);
  }

  enter() {
    this.#panel.fill(() => ask("GET", "permissions"), (told) => {
      this.#told = told;
      this.#show();
    }, this.#rows.list);
  }

  heard(event, shown) {
    if (shown && event.type === "ToolCalled" && event.tool === SELF && event.status === "ok") this.enter();
  }

  #show() {
    this.#rows.show(Object.entries(this.#told.tools).map(([name, tier]) => ({ group: name.split(".")[0], words: `${name} ${spoken(name)}`, element: this.#row(name, tier) })));
    this.#showRules();
  }

  #showRules() {
    const { rules, file, trouble } = this.#told;
    const parts = rules.map(({ pattern, tier, reason }) => element("li", {}, element("code", {}, pattern), ` ${TIERS.find(([name]) => name === tier)[1]}${reason ? ` (${reason})` : ""}`));
    const about = element("p", { className: "lead" }, "The first that fits counts. They are in ", element("code", {}, file), ".");
    this.#rules.replaceChildren(element("h3", {}, "Your rules"), ...(trouble ? [note(trouble)] : []), about, parts.length ? element("ol", { className: "plain" }, ...parts) : note("None: every tool is as it comes."));
  }

  #row(name, tier) {
    const fixed = name === STOP || ASKING.includes(name);
    const exact = this.#told.rules.some((rule) => rule.pattern === name);
    const select = choice([...TIERS, ...(exact ? [["declared", "as it comes"]] : [])], tier);
    select.disabled = fixed;
    select.setAttribute("aria-label", `${spoken(name)}: how`);
    select.addEventListener("change", () => this.#change(name, tier, select));
    const acts = this.#told.acts.filter(({ tool }) => tool === name).map(({ what, when, tier_name: act, reason }) => element("small", { className: "act", title: reason }, `${what}${when ? ` (${when})` : ""}: ${TIERS.find(([known]) => known === act)[1]}`));
    const row = element("div", { className: "line" }, element("span", { className: "words" }, element("strong", {}, spoken(name)), element("small", {}, name), ...acts), select);
    row.dataset.tool = name;
    return row;
  }

  async #change(name, before, select) {
    select.disabled = true;
    try {
      const { tier } = await ask("PUT", "permissions", { tool: name, tier: select.value });
      select.value = tier;
      this.#notices.toast(`${spoken(name)}: ${TIERS.find(([known]) => known === tier)[1]}.`);
    } catch (trouble) {
      select.value = before;
      this.#notices.toast(`Not changed: ${trouble.message}`);
    }
    select.disabled = false;
  }
}
