// Training: what I practise, how well it goes, and what I was shown. The robot stands beside it while somebody watches
// it practise, or shows it something.

import { ask } from "../wire.js";
import { element } from "../words.js";
import { Demonstrations } from "./demonstrations.js";
import { Panel, calmly, note } from "./panel.js";
import { RunCard, UNDER_WAY } from "./run_card.js";
import { Tabs } from "./tabs.js";
import { TrainingForm } from "./training_form.js";

const LEAD = "I practise a task until I can do it: by imitating what I was shown, by trying, or by your praise. I do so in simulation, unless you want to watch.";
const NONE = "No run yet. Start one: with the usual choices it takes some seconds.";
const TICK_MS = 1000;
const IDLE_TICKS = 5; // somebody may train in a terminal
const CHANGES = /^learning\.\w+_training$/;
const JUDGED = /^workshop\.\w+_tool$/;

export default class Training {
  #panel = new Panel("Training", LEAD);
  #practice;
  #tabs;
  #parts;
  #room = document.querySelector(".room");

  constructor({ notices, stage }) {
    this.element = this.#panel.element;
    this.element.classList.add("wide", "training");
    this.#practice = new Practice(notices, () => this.#arrange());
    this.#parts = [this.#practice, new Demonstrations(notices, stage, () => this.#arrange())];
    this.#tabs = new Tabs("Training", this.#parts);
    this.#panel.body.append(this.#tabs.element);
  }

  enter() {
    this.#tabs.current.enter();
  }

  leave() {
    for (const part of this.#parts) part.leave?.();
    delete this.#room.dataset.watching;
  }

  connected() {
    this.#tabs.current.enter();
  }

  heard(event) {
    for (const part of this.#parts) part.heard(event, part === this.#tabs.current && this.element.isConnected);
  }

  /** The robot is beside the panel when there is something to see of it. */
  #arrange() {
    const watching = this.#tabs.current !== this.#practice || this.#practice.watched;
    this.#room.toggleAttribute("data-watching", watching && this.element.isConnected);
  }
}

/** The runs, and the form that begins one. */
class Practice {
  name = "Practice";
  watched = false;
  #notices;
  #changed;
  #panel = new Panel("Runs");
  #form;
  #list = element("div", { className: "rows" });
  #cards = new Map();
  #count = element("p", { className: "count" });
  #timer = 0;
  #ticks = 0;
  #asking = false;
  #soon = calmly(() => this.element.isConnected && this.#refresh(), 100);

  /** @param changed is called when the robot begins or ends to practise before a person */
  constructor(notices, changed) {
    this.#notices = notices;
    this.#changed = changed;
    this.#form = new TrainingForm((run) => {
      notices.toast(run.message);
      this.#open(run.name);
    });
    this.#count.setAttribute("role", "status");
    const begin = element("section", { className: "card" }, element("h3", {}, "Practise something"), this.#form.element);
    const runs = element("section", {}, element("h3", {}, "Runs"), this.#count, this.#list);
    this.element = element("div", {}, begin, runs);
  }

  enter() {
    this.#stale();
    this.#panel.fill(() => Promise.all([ask("GET", "training/options"), ask("GET", "training/status")]), ([options, status]) => {
      this.#form.show(options);
      this.#show(status);
    }, this.#list);
    clearInterval(this.#timer);
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
  }

  leave() {
    clearInterval(this.#timer);
  }

  heard(event, shown) {
    if (event.type === "ToolCalled" && JUDGED.test(event.tool)) this.#stale();
    if (shown && (event.type === "TrainingChanged" || event.type === "Missed" || (event.type === "ToolCalled" && CHANGES.test(event.tool)))) this.#soon();
  }

  #stale() {
    for (const card of this.#cards.values()) card.stale();
  }

  #tick() {
    this.#ticks += 1;
    const underWay = [...this.#cards.values()].some((card) => UNDER_WAY.includes(card.element.dataset.state));
    if (!document.hidden && (underWay || this.#ticks % IDLE_TICKS === 0)) this.#refresh();
  }

  async #refresh() {
    if (this.#asking) return;
    this.#asking = true;
    try {
      this.#show(await ask("GET", "training/status"));
    } catch {
      // The line is down: what was known stays, and it is asked again.
    } finally {
      this.#asking = false;
    }
  }

  async #open(name) {
    await this.#refresh();
    const card = this.#cards.get(name)?.element;
    if (!card) return;
    card.open = true;
    card.scrollIntoView({ block: "nearest" });
  }

  #show({ runs }) {
    const first = !this.#cards.size;
    for (const name of [...this.#cards.keys()]) if (!runs.some((run) => run.name === name)) this.#remove(name);
    for (const run of runs) {
      if (!this.#cards.has(run.name)) this.#cards.set(run.name, new RunCard(run.name, this.#notices, () => this.#refresh()));
      this.#cards.get(run.name).show(run);
    }
    const wanted = runs.length ? runs.map(({ name }) => this.#cards.get(name).element) : [note(NONE)];
    if (wanted.length !== this.#list.childElementCount || wanted.some((row, index) => row !== this.#list.children[index])) this.#list.replaceChildren(...wanted);
    if (first && runs.length) wanted[0].open = true;
    const count = runs.length === 1 ? "1 run" : `${runs.length} runs`;
    if (runs.length && this.#count.textContent !== count) this.#count.textContent = count;
    this.watched = runs.some(({ human, state }) => human && UNDER_WAY.includes(state));
    this.#changed();
  }

  #remove(name) {
    this.#cards.get(name).element.remove();
    this.#cards.delete(name);
  }
}
