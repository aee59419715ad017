// Background tasks, those that have ended included.

import { ask } from "../wire.js";
import { element, spoken } from "../words.js";
import { Panel, button, chip, during, list, moment } from "./panel.js";

const WORDS = { running: "under way", done: "done", failed: "failed", cancelled: "ended early", interrupted: "cut short by a restart" };

export class TaskList {
  name = "Tasks";
  #notices;
  #panel = new Panel("Tasks");
  #list = element("div");

  constructor(notices) {
    this.#notices = notices;
    this.element = element("div", {}, this.#list);
  }

  enter() {
    this.#panel.fill(() => ask("GET", "tasks?limit=50"), ({ tasks }) => {
      this.#list.replaceChildren(list(tasks.map((task) => this.#row(task)), "Nothing has run in the background yet."));
    }, this.#list);
  }

  heard(event, shown) {
    if (event.type === "TaskChanged" && shown) this.enter();
  }

  #row(task) {
    const name = task.description || spoken(task.tool);
    const when = task.started_at ?? task.created_at;
    const words = element("span", { className: "words" }, element("strong", {}, name), element("small", {}, [when ? moment(when) : "", task.message].filter(Boolean).join(" · ")));
    const row = element("li", { className: "line" }, words, chip(WORDS[task.state] ?? task.state, task.state));
    if (task.state !== "running") return row;
    const end = button("End", () => during(end, (trouble) => this.#notices.toast(`Not ended: ${trouble.message}`), () => ask("DELETE", `tasks/${encodeURIComponent(task.id)}`)), "quiet small");
    end.setAttribute("aria-label", `End: ${name}`);
    row.append(end);
    return row;
  }
}
