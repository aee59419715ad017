// What was done: every call of a tool, newest first, by whom and how it ended. The audit, in words.

import { ask } from "../wire.js";
import { duration, element, icon, spoken } from "../words.js";
import { Panel, button, calmly, choice, field, moment, note, opening } from "./panel.js";

const PAGE = 25;
const ENDS = [["", "However it ended"], ["ok", "Done"], ["error", "Went wrong"], ["denied", "Not allowed"], ["cancelled", "Cut short"], ["started", "Started"], ["interrupted", "Cut short by a restart"]];
const WHO = { person: "a person", brain: "my own thinking", program: "a program", background: "a background task" };

export class History {
  name = "History";
  #panel = new Panel("History");
  #tool = element("input", { type: "search", placeholder: "robot.nod" });
  #status = choice(ENDS, "");
  #list = element("div", { className: "rows" });
  #older = button("Older", () => this.#turn(PAGE));
  #newer = button("Newer", () => this.#turn(-PAGE));
  #place = element("span", { className: "count" });
  #offset = 0;

  constructor() {
    const again = calmly(() => this.#from(0));
    this.#tool.addEventListener("input", again);
    this.#status.addEventListener("input", again);
    this.#place.setAttribute("role", "status");
    const filters = element("div", { className: "filters" }, field("Tool", this.#tool, "its whole name"), field("Outcome", this.#status));
    this.element = element("div", {}, filters, this.#list, element("p", { className: "buttons" }, this.#newer, this.#older, this.#place));
  }

  enter() {
    this.#from(this.#offset);
  }

  #turn(step) {
    this.#from(Math.max(0, this.#offset + step));
  }

  #from(offset) {
    this.#offset = offset;
    const wanted = new URLSearchParams({ tool: this.#tool.value.trim(), status: this.#status.value, offset, limit: PAGE });
    this.#panel.fill(() => ask("GET", `audit?${wanted}`), ({ entries, total }) => {
      this.#list.replaceChildren(...(entries.length ? entries.map(row) : [note("Nothing like that was done yet.")]));
      this.#newer.disabled = !offset;
      this.#older.disabled = offset + PAGE >= total;
      this.#place.textContent = total ? `${offset + 1} to ${Math.min(offset + PAGE, total)} of ${total}` : "";
    }, this.#list);
  }
}

function row(call) {
  const words = element("span", { className: "words" }, element("strong", {}, spoken(call.tool)), element("small", {}, `${moment(call.at)} · ${WHO[call.caller] ?? call.caller}, by ${call.channel} · ${duration(call.duration_ms ?? 0)}`));
  const mark = element("span", { className: `ended ${call.status}` }, icon(call.status), element("span", { className: "hidden" }, call.status));
  return opening([mark, words], (inside) => {
    const rows = [["Tool", call.tool], ["Ended", [call.status, call.code].filter(Boolean).join(": ")], ["Said yes", call.by], ["Asked for", call.arguments], ["Answer", call.result]];
    const list = element("dl", { className: "facts" });
    for (const [name, value] of rows) if (value) list.append(element("dt", {}, name), element("dd", {}, value));
    inside.append(list);
  });
}
