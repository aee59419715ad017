// Demonstrations: what I was shown, to look at, see again and delete; and showing me something, by dragging my head.

import { ask } from "../wire.js";
import { element } from "../words.js";
import { Panel, button, calmly, chip, during, failed, field, list, opening } from "./panel.js";
import { plot } from "./plot.js";
import { Recorder } from "./recorder.js";

const PAGE = 50;
const NONE = "Nothing yet. Say what you show me, record, and lead my head there.";
const SOURCES = { teleoperation: "dragged", "by-hand": "by hand", by_hand: "by hand", tools: "by tools", imported: "imported" };
const CHANGES = /^robot\.(keep|trim|remove)_demonstration$/;

export class Demonstrations {
  name = "Demonstrations";
  #notices;
  #entered;
  #panel = new Panel("Demonstrations");
  #recorder;
  #count = element("p", { className: "count" });
  #list = element("div");
  #shown = PAGE;
  #more = button("Older", () => this.#refresh(this.#shown + PAGE));
  #soon = calmly(() => this.element.isConnected && this.#refresh(this.#shown), 100);

  /** @param entered is called when it is shown */
  constructor(notices, stage, entered) {
    this.#notices = notices;
    this.#entered = entered;
    this.#recorder = new Recorder(notices, stage, purpose());
    this.#count.setAttribute("role", "status");
    const shown = element("section", {}, element("h3", {}, "What I was shown"), this.#count, this.#list, element("p", { className: "buttons" }, this.#more));
    this.element = element("div", {}, this.#recorder.element, shown);
  }

  enter() {
    this.#entered();
    this.#refresh();
  }

  leave() {
    this.#recorder.leave();
  }

  heard(event, shown) {
    if (shown && (event.type === "Missed" || (event.type === "ToolCalled" && event.status === "ok" && CHANGES.test(event.tool)))) this.#soon();
  }

  #refresh(shown = PAGE) {
    this.#shown = shown;
    this.#panel.fill(() => ask("GET", `demonstrations?limit=${shown}`), ({ demonstrations, total, broken }) => {
      this.#count.textContent = total === 1 ? "1 demonstration" : total ? `${total} demonstrations` : "";
      const open = new Set([...this.#list.querySelectorAll("li:has(> details[open])")].map(({ dataset }) => dataset.demonstration));
      const rows = demonstrations.map((one) => this.#row(one, open.has(one.demo_id)));
      this.#list.replaceChildren(list(rows, NONE), ...broken.map(({ dataset, message, hint }) => failed({ message: `${dataset}: ${message}`, hint })));
      this.#more.hidden = demonstrations.length >= total;
    }, this.#list);
  }

  #row(one, open) {
    const { demo_id: id, task_description: task, source, dataset, duration_s: duration, video, person } = one;
    const about = [SOURCES[source] ?? source, `${duration.toFixed(1)} s`, dataset, person].filter(Boolean).join(" · ");
    const words = element("span", { className: "words" }, element("strong", {}, task), element("small", {}, about));
    const replay = button("Replay", (event) => {
      event.preventDefault(); // the line it stands in would open
      this.#ask(replay, "Not replayed", "POST", `demonstrations/${encodeURIComponent(id)}/replay`, {});
    }, "quiet small");
    replay.setAttribute("aria-label", `Replay: ${task}`);
    const row = opening([words, ...(video ? [chip("filmed", "own")] : [])], (inside) => this.#look(one, inside));
    row.open = open;
    const item = element("li", { className: "row-with" }, row, replay);
    item.dataset.demonstration = id;
    return item;
  }

  async #look(one, inside) {
    const route = `demonstrations/${encodeURIComponent(one.demo_id)}`;
    try {
      inside.replaceChildren(plot(await ask("GET", route)));
    } catch (trouble) {
      inside.replaceChildren(failed(trouble, () => this.#look(one, inside)));
    }
    const remove = button("Delete", () => this.#ask(remove, "Not deleted", "DELETE", route));
    inside.append(this.#trim(one, route), element("p", { className: "buttons" }, remove));
  }

  /** A form that keeps a part of it. */
  #trim({ duration_s: duration }, route) {
    const limits = { type: "number", min: 0, max: duration, step: "any", required: true, inputMode: "decimal" };
    const [from, to] = [element("input", { ...limits, value: 0 }), element("input", { ...limits, value: duration })];
    const keep = element("button", { type: "submit", className: "quiet" }, "Keep only this part");
    const form = element("form", { className: "part" }, field("From second", from), field("To second", to), keep);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#ask(keep, "Not trimmed", "POST", `${route}/trim`, { start: Number(from.value), end: Number(to.value) });
    });
    return form;
  }

  #ask(pressed, failing, ...request) {
    return during(pressed, (trouble) => this.#notices.toast([`${failing}: ${trouble.message}.`, trouble.hint].filter(Boolean).join(" "), 6000), () => ask(...request));
  }
}

/** A recording that becomes a demonstration. */
function purpose() {
  const task = element("input", { type: "text", required: true, maxLength: 200, autocomplete: "off", placeholder: "look at the apple" });
  const camera = element("input", { type: "checkbox", checked: true });
  const seen = field("With my camera", camera, "I learn from a demonstration in which I saw what you named");
  seen.classList.add("check");
  return {
    title: "Show me something",
    name: "Show me something",
    fields: [field("What you show me", task), seen],
    about: () => (task.reportValidity() ? { task: task.value, camera: camera.checked } : null),
    form: () => ({ fields: [], read: () => ({ task: task.value }) }),
    saved: () => "I will remember what you showed me.",
  };
}
