// Background tasks: a bar each, with what it says of itself, and a way to end it.

import { ask } from "../wire.js";
import { element, spoken } from "../words.js";

const LINGER_MS = 2500;

export class Tasks {
  #list = document.getElementById("tasks");
  #rows = new Map();
  #notices;

  constructor(notices) {
    this.#notices = notices;
  }

  /** All that run, anew: after a (re)connection. */
  async refresh() {
    try {
      const { tasks } = await ask("GET", "tasks?limit=50");
      const running = tasks.filter((task) => task.state === "running");
      for (const id of [...this.#rows.keys()]) if (!running.some((task) => task.id === id)) this.#remove(id);
      for (const task of running) this.#show({ ...task, task_id: task.id });
    } catch {
      // The line is down again; it will be asked anew when it is back.
    }
  }

  heard(event) {
    if (event.type !== "TaskChanged") return;
    if (event.state === "running" && !this.#rows.has(event.task_id)) this.refresh(); // which tells its name
    else this.#show(event);
  }

  clear() {
    for (const id of [...this.#rows.keys()]) this.#remove(id);
  }

  #show({ task_id: id, tool, description, state, progress, message }) {
    if (state !== "running" && !this.#rows.has(id)) return;
    const row = this.#rows.get(id) ?? this.#add(id, description || spoken(tool));
    row.bar.value = state === "done" ? 1 : progress;
    row.bar.textContent = `${Math.round(progress * 100)} %`;
    row.words.textContent = state === "running" ? message : state;
    if (state === "running") return;
    row.end.remove();
    setTimeout(() => this.#remove(id), LINGER_MS);
  }

  #add(id, name) {
    const label = element("span", { className: "name" }, name);
    const bar = element("progress", { max: 1, ariaLabel: name });
    const words = element("small");
    const end = element("button", { type: "button", textContent: "End", ariaLabel: `End: ${name}` });
    end.addEventListener("click", () => this.#cancel(id, end));
    const item = element("li", { className: "task" }, label, end, bar, words);
    const row = { item, bar, words, end };
    this.#rows.set(id, row);
    this.#list.append(item);
    this.#list.hidden = false;
    return row;
  }

  #remove(id) {
    this.#rows.get(id)?.item.remove();
    this.#rows.delete(id);
    this.#list.hidden = !this.#rows.size;
  }

  async #cancel(id, button) {
    button.disabled = true;
    try {
      const { error } = await ask("DELETE", `tasks/${encodeURIComponent(id)}`);
      if (error) this.#notices.toast(`Not ended: ${error.message}`);
    } catch (trouble) {
      this.#notices.toast(`Not ended: ${trouble.message}`);
    }
    button.disabled = false;
  }
}
