// Workshop: ask for a tool, see how it is made, judge it, and decide whether it may be used. The address names the tool
// that is open: #/workshop/NAME.

import { ask } from "../wire.js";
import { element, spoken } from "../words.js";
import { Panel, button, chip, during, list } from "./panel.js";
import { ToolRequest } from "./tool_request.js";
import { ToolSheet } from "./tool_sheet.js";
import { KINDS, STATES } from "./tool_states.js";

const CHANGES = /^((workshop|generated)\.|learning\.publish_training$)/;

export default class Workshop {
  #notices;
  #replay;
  #panel = new Panel("Workshop", "Ask for something I can't do yet. I write a tool for it and try it out in simulation; you decide whether I may use it.");
  #request;
  #sheet;
  #list = element("div");
  #overview;
  #bundle = element("input", { type: "file", accept: ".json,application/json", hidden: true });
  #import = button("Import a tool", () => this.#bundle.click());
  #open = "";

  constructor({ notices, questions, replay }) {
    this.#notices = notices;
    this.#replay = replay;
    this.element = this.#panel.element;
    this.element.classList.add("wide");
    this.#request = new ToolRequest(notices, { label: "What should the new tool do?", go: "Make it", made: (name) => this.#show(name) });
    this.#sheet = new ToolSheet(notices, questions, replay);
    this.#bundle.setAttribute("aria-label", "A file with a tool");
    this.#bundle.addEventListener("change", () => this.#take());
    const own = element("section", {}, element("h3", {}, "My tools"), this.#list, element("p", { className: "buttons" }, this.#import, this.#bundle));
    this.#overview = element("div", {}, element("section", { className: "card" }, element("h3", {}, "A new tool"), this.#request.element), own);
    this.#panel.body.append(this.#overview, this.#sheet.element);
    addEventListener("hashchange", () => this.element.isConnected && this.#go());
  }

  enter() {
    this.#go();
  }

  leave() {
    this.#replay.close();
  }

  connected() {
    this.#refresh();
  }

  heard(event) {
    this.#request.heard(event);
    this.#sheet.heard(event);
    if (event.type === "ToolCalled" && CHANGES.test(event.tool) && this.element.isConnected) this.#refresh();
  }

  #go() {
    const [, name = ""] = location.hash.match(/^#\/workshop\/([a-z][a-z0-9_]*)/) ?? [];
    if (name !== this.#open) this.#replay.close();
    this.#open = name;
    this.#overview.hidden = Boolean(name);
    this.#sheet.show(name);
    if (!name) this.#refresh();
  }

  #show(name) {
    location.hash = `#/workshop/${encodeURIComponent(name)}`;
    this.element.parentElement?.scrollTo(0, 0);
  }

  #refresh() {
    if (this.#open) return this.#sheet.refresh();
    return this.#panel.fill(() => ask("GET", "workshop/tools?limit=500"), ({ tools }) => {
      const none = "None yet. Try: “take a photo every 5 seconds for 1 minute”, or “blink your antennas in morse code: SOS”.";
      this.#list.replaceChildren(list(tools.map((tool) => row(tool)), none));
    }, this.#list);
  }

  #take() {
    const [file] = this.#bundle.files;
    if (!file) return;
    during(this.#import, (trouble) => this.#notices.toast(`Not imported: ${trouble.message}. ${trouble.hint}`, 8000), async () => {
      const { name, message } = await ask("POST", "tools/import", { bundle: await file.text() });
      this.#notices.toast(message, 6000);
      this.#show(name);
    });
    this.#bundle.value = "";
  }
}

function row({ name, description, state, waiting, trouble, reason, versions }) {
  const about = trouble || (state === "quarantined" || state === "rejected" ? reason : "") || description.split("\n")[0];
  const words = element("span", { className: "words" }, element("strong", {}, spoken(name)), element("small", {}, about));
  const link = element("a", { className: "line tool-line", href: `#/workshop/${encodeURIComponent(name)}` }, words);
  if (waiting && state === "active") link.append(chip(`version ${waiting} waits for you`, "confirm"));
  link.append(chip(trouble ? "not to be trusted" : STATES[state], trouble ? "failed" : KINDS[state]));
  if (versions.length > 1) link.append(element("small", {}, `${versions.length} versions`));
  const item = element("li", {}, link);
  item.dataset.tool = name;
  return item;
}
