// A form to call one tool with, and what came of it.

import { ask } from "../wire.js";
import { duration, element, icon } from "../words.js";
import { note } from "./panel.js";
import { SchemaForm } from "./schema_form.js";

const STATUS = { ok: "Done", started: "Started: see Tasks", denied: "Not allowed", cancelled: "Cut short", error: "That did not work" };

export class ToolForm {
  #tool;
  #form;
  #result = element("div", { className: "outcome" });
  #go = element("button", { type: "submit", className: "strong" }, "Do it");

  /** @param tool as the server lists it */
  constructor(tool) {
    this.#tool = tool;
    this.#form = new SchemaForm(tool.parameters);
    this.#result.setAttribute("role", "status");
    this.#go.disabled = !tool.ready;
    this.element = element("form", { className: "trial" }, this.#form.element, element("p", { className: "buttons" }, this.#go), this.#result);
    if (!tool.ready) this.#result.append(note(`Not yet: ${tool.hint}`));
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#call();
    });
  }

  async #call() {
    this.#go.disabled = true;
    this.#result.replaceChildren(note("Under way…"));
    try {
      const wish = { tool_name: `${this.#tool.group}.${this.#tool.name}`, parameters: this.#form.values };
      this.#result.replaceChildren(...shownOutcome(await ask("POST", "tools/execute", wish)));
    } catch (trouble) {
      this.#result.replaceChildren(element("p", { className: "bad" }, trouble.message));
    }
    this.#go.disabled = false;
  }
}

function shownOutcome({ outcome, result, error, execution_time: seconds }) {
  const head = element("p", { className: `ended ${outcome}` }, icon(outcome), `${STATUS[outcome] ?? outcome} (${duration(seconds * 1000)})`);
  if (error) return [head, element("p", {}, error.message), ...(error.hint ? [element("p", { className: "lead" }, error.hint)] : [])];
  const { message, ...rest } = result ?? {};
  const parts = [head];
  if (message) parts.push(element("p", {}, message));
  if (Object.keys(rest).length) parts.push(element("pre", { tabIndex: 0, textContent: JSON.stringify(rest, null, 2) }));
  return parts;
}
