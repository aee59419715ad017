// Background tasks, those that have ended included, with how far each is and a way to end it.

import { Trouble, ask } from "../wire.js";
import { element, spoken } from "../words.js";
import { KeyedRows } from "./keyed_rows.js";
import { Panel, button, chip, during, moment } from "./panel.js";

const WORDS = { running: "under way", done: "done", failed: "failed", cancelled: "ended early", interrupted: "cut short by a restart" };

export class TaskList {
  name = "Tasks";
  #panel = new Panel("Tasks");
  #rows;
  #of;

  /** @param of which tools it lists the tasks of */
  constructor(notices, of = /^/) {
    this.#of = of;
    this.#rows = new KeyedRows((task) => new TaskRow(task, notices), "Nothing has run in the background yet.", "ul");
    this.element = element("div", {}, this.#rows.element);
  }

  enter() {
    this.#panel.fill(() => ask("GET", "tasks?limit=50"), ({ tasks }) => this.#rows.show(tasks.filter(({ tool }) => this.#of.test(tool)).map((task) => [task.id, task])), this.#rows.element);
  }

  heard(event, shown) {
    if (event.type !== "TaskChanged" || !shown || !this.#of.test(event.tool)) return;
    const row = this.#rows.get(event.task_id);
    if (row && event.state === "running") row.progress(event);
    else this.enter();
  }
}

class TaskRow {
  #words = element("small");
  #bar = element("progress", { max: 1 });
  #state = element("span");
  #end;
  #when;

  constructor(task, notices) {
    const name = task.description || spoken(task.tool);
    const when = task.started_at ?? task.created_at;
    this.#when = when ? moment(when) : "";
    this.#bar.setAttribute("aria-label", name);
    this.#end = button("End", () => during(this.#end, (trouble) => notices.toast(`Not ended: ${trouble.message}`), async () => {
      const { error } = await ask("DELETE", `tasks/${encodeURIComponent(task.id)}`);
      if (error) throw new Trouble(error);
    }), "quiet small");
    this.#end.setAttribute("aria-label", `End: ${name}`);
    const words = element("span", { className: "words" }, element("strong", {}, name), this.#words, this.#bar);
    this.element = element("li", { className: "line task-line" }, words, this.#state, this.#end);
    this.element.dataset.task = task.id;
  }

  show(task) {
    const state = WORDS[task.state] ?? task.state;
    if (this.#state.textContent !== state) this.#state.replaceWith((this.#state = chip(state, task.state)));
    this.#bar.hidden = this.#end.hidden = task.state !== "running";
    this.progress(task);
  }

  progress({ progress, message }) {
    this.#bar.value = progress;
    this.#words.textContent = [this.#when, message].filter(Boolean).join(" · ");
  }
}
