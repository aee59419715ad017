// A request for a tool in words, and how far its making has come. With a `name` it asks for another version of a tool.

import { Trouble, ask } from "../wire.js";
import { element } from "../words.js";
import { button, failed, field } from "./panel.js";

const STAGES = [["writing", "Writing"], ["checking", "Checking"], ["trying", "Trying it out"]];
const EXAMPLE = "take a photo every 5 seconds for 1 minute";
const CASES = "interval_s 0 gives an error\n{\"input\": {\"interval_s\": 5}, \"robot\": {\"photos\": {\">=\": 11}}}";

export class ToolRequest {
  #notices;
  #made;
  #name = "";
  #callId = "";
  #tool = "";
  #tried = false;
  #words = element("textarea", { rows: 2, required: true, maxLength: 5000, placeholder: EXAMPLE });
  #cases = element("textarea", { rows: 3, placeholder: CASES, spellcheck: false });
  #go;
  #cancel = button("Never mind", () => this.#end());
  #progress = element("ol", { className: "stages", hidden: true });
  #said = element("p", { className: "hidden" });
  #trouble = element("div");

  /** @param made is told the name of the tool that was made */
  constructor(notices, { label, go, made }) {
    this.#notices = notices;
    this.#made = made;
    this.#go = element("button", { type: "submit", className: "strong" }, go);
    this.#cancel.hidden = true;
    this.#said.setAttribute("role", "status");
    const hint = "One per line: a sentence that names parameters, or an object with input, expected, robot or scene.";
    const cases = element("details", {}, element("summary", {}, "Test cases (optional)"), field("Cases it has to pass", this.#cases, hint));
    this.element = element("form", { className: "request" }, field(label, this.#words), cases, element("p", { className: "buttons" }, this.#go, this.#cancel), this.#progress, this.#said, this.#trouble);
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#make();
    });
  }

  /** Asks for a version of this tool from now on; `words` are what it was asked for with. */
  about(name, words) {
    if (name !== this.#name) this.#trouble.replaceChildren();
    this.#name = name;
    this.#words.value = words;
  }

  heard(event) {
    if (event.type !== "CreationProgressed" || event.call_id !== this.#callId) return;
    this.#tool = event.tool || this.#tool;
    if (event.stage !== "repairing") this.#tried = event.stage === "trying";
    this.#tell(event.stage, event.repairs);
  }

  async #make() {
    const description = this.#words.value.trim();
    if (!description || this.#callId) return;
    this.#trouble.replaceChildren();
    let test_cases;
    try {
      test_cases = read(this.#cases.value);
    } catch (trouble) {
      return this.#trouble.replaceChildren(failed(trouble));
    }
    this.#callId = crypto.randomUUID().replaceAll("-", "");
    this.#tool = this.#name;
    this.#go.disabled = true;
    this.#cancel.hidden = false;
    this.#tell("writing", 0);
    try {
      const { tool_name: name } = await ask("POST", "tools/generate", { description, name: this.#name, test_cases, ask: false, call_id: this.#callId });
      this.#words.value = this.#name ? description : "";
      this.#cases.value = "";
      this.#notices.toast("It passed its trial. Look at it, and decide.", 5000);
      this.#made(name);
    } catch (trouble) {
      this.#fail(trouble);
    } finally {
      this.#callId = "";
      this.#go.disabled = false;
      this.#cancel.hidden = true;
      this.#progress.hidden = true;
      this.#progress.replaceChildren();
      this.#said.textContent = "";
    }
  }

  /** What went wrong, and where a tool that failed its trial can be looked at. */
  #fail(trouble) {
    if (trouble.code === "CANCELLED") return this.#notices.toast("Nothing was made.");
    const box = failed(trouble);
    if (trouble.code === "CREATION_FAILED" && this.#tried) {
      box.append(element("a", { href: `#/workshop/${encodeURIComponent(this.#tool)}` }, "See what it did in its trial"));
    }
    this.#trouble.replaceChildren(box);
  }

  #end() {
    ask("DELETE", `tools/calls/${this.#callId}`).catch((trouble) => this.#notices.toast(`Not ended: ${trouble.message}`));
  }

  #tell(stage, repairs) {
    const at = stage === "repairing" ? "writing" : stage;
    const again = repairs || stage === "repairing" ? `, repair ${repairs + (stage === "repairing" ? 1 : 0)}` : "";
    const place = STAGES.findIndex(([name]) => name === at);
    this.#progress.hidden = false;
    this.#progress.replaceChildren(
      ...STAGES.map(([name, words], index) => this.#step(index === place ? `${words}${again}…` : words, index < place ? "done" : name === at ? "now" : "")),
      this.#step("Your decision", ""),
    );
    this.#said.textContent = `${STAGES[place][1]}${again}`;
  }

  #step(words, state) {
    const made = element("li", { className: state }, words);
    if (state === "now") made.setAttribute("aria-current", "step");
    return made;
  }
}

/** Cases by lines: an object in JSON, else a sentence. Throws Trouble. */
function read(text) {
  return text.split("\n").map((line) => line.trim()).filter(Boolean).map((line) => {
    if (!line.startsWith("{")) return line;
    try {
      return JSON.parse(line);
    } catch {
      throw new Trouble({ message: `this case is not JSON: ${line.slice(0, 60)}`, hint: 'An example: {"input": {"times": 2}, "expected": {"count": 2}}' });
    }
  });
}
