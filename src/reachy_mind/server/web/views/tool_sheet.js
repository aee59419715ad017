// One tool of the workshop: all that a person needs to judge a version by, and what they can do about it.

import { ask } from "../wire.js";
import { element, spoken } from "../words.js";
import { code, difference } from "./code.js";
import { Decision } from "./decision.js";
import { Panel, button, chip, during, failed, list, moment, note, opening } from "./panel.js";
import { ToolForm } from "./tool_form.js";
import { ToolRequest } from "./tool_request.js";
import { KINDS, STATES } from "./tool_states.js";
import { TrialCases } from "./trial_cases.js";

const SENTENCES = 3;
const NEWEST_FIRST = new Set(["draft", "tested", "quarantined"]);

/** A sentence without the marks of the reflex reader: `<tool interval_s="5 seconds">take a photo</>`. */
const unmarked = (line) => line.replace(/^(?:fr|es|de): /, "").replace(/<[^<>]*>/g, "").trim();

const lasting = (seconds) => {
  const [size, unit] = seconds >= 7200 ? [3600, "hours"] : seconds >= 120 ? [60, "minutes"] : [1, "seconds"];
  return `${Math.round(seconds / size)} ${unit}`;
};

export class ToolSheet {
  #notices;
  #questions;
  #panel = new Panel("Tool");
  #place = element("div");
  #trial;
  #change;
  #changeBox;
  #name = "";
  #number = null;
  #count = 0;
  #told = "";

  constructor(notices, questions, replay) {
    this.#notices = notices;
    this.#questions = questions;
    this.#trial = new TrialCases(notices, replay);
    this.#change = new ToolRequest(notices, { label: "What should it do instead?", go: "Make a new version", made: () => this.#showNew() });
    this.#changeBox = section("Change or repair it", element("p", { className: "lead" }, "Say it as a whole, in your own words. The version in use stays as it is until you approve the new one."), this.#change.element);
    const back = element("a", { className: "back", href: "#/workshop" }, "← All my tools");
    this.element = element("article", { className: "sheet", hidden: true }, back, this.#place, this.#changeBox);
  }

  /** Shows the tool of this name; hides with none. */
  show(name) {
    if (name !== this.#name) {
      this.#number = null;
      this.#told = "";
      this.#place.replaceChildren();
      this.#changeBox.hidden = true;
    }
    this.#name = name;
    this.element.hidden = !name;
    if (name) this.refresh();
  }

  heard(event) {
    this.#change.heard(event);
  }

  async #showNew() {
    await this.refresh();
    this.element.closest(".view")?.scrollTo(0, 0);
  }

  refresh() {
    return this.#panel.fill(() => this.#load(), (told) => this.#render(told), this.#place);
  }

  async #load() {
    const name = this.#name;
    const { versions, active } = await ask("GET", `tools/${encodeURIComponent(name)}/versions`);
    if (versions.length !== this.#count) this.#number = null; // a new one is what somebody wants to see
    this.#count = versions.length;
    const last = versions.at(-1);
    const number = this.#number ?? (NEWEST_FIRST.has(last.state) ? last.version : (active ?? last.version));
    const chosen = versions.find(({ version }) => version === number);
    const whole = chosen.trouble ? chosen : await ask("GET", this.#route(number));
    return { name, versions, active, whole };
  }

  #route = (number) => `tools/${encodeURIComponent(this.#name)}/versions/${number}`;

  #render({ name, versions, active, whole }) {
    const told = JSON.stringify([versions, whole]);
    if (name !== this.#name || (told === this.#told && this.#place.querySelector(".sheet-head"))) return; // a form may be half filled in
    this.#told = told;
    this.#number = whole.version;
    const title = element("h3", {}, spoken(name));
    const head = element("header", { className: "sheet-head" }, title, chip(STATES[whole.state], KINDS[whole.state]));
    this.#place.replaceChildren(head, ...this.#versions(versions, whole), new Decision(this.#notices, this.#questions, { versions, active, whole, done: () => this.refresh() }).element);
    this.#changeBox.hidden = false;
    if (whole.trouble) return;
    this.#place.append(...this.#use(whole), ...this.#about(whole), ...this.#changes(whole), this.#trialBox(whole), this.#code(whole), this.#file(whole));
    this.#change.about(name, whole.request);
  }

  #versions(versions, { version }) {
    if (versions.length < 2) return [];
    const choose = (number) => {
      this.#number = number;
      this.refresh();
    };
    const buttons = versions.map((each) => {
      const made = button(`Version ${each.version}`, () => choose(each.version), "quiet small");
      made.append(chip(STATES[each.state], KINDS[each.state]));
      made.setAttribute("aria-pressed", String(each.version === version));
      return made;
    });
    const box = element("div", { className: "buttons versions" }, ...buttons);
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", "Versions");
    return [box];
  }

  #about({ request, explanation, description, author, signer, known_signer: known, created_at: at, parameters, sentences, timeout_s: seconds }) {
    const origin = signer ? `imported, signed by ${known ? "" : "somebody unknown, "}${signer}` : (author || "unknown").replace(/^recipe:/, "a recipe: ").replace(/^model:/, "a language model: ");
    const rows = [["You asked for", request], ["It says it does", explanation || description], ["Ask for it with", sentences.slice(0, SENTENCES).map((line) => `“${unmarked(line)}”`).join(" or ")], ["Written by", `${origin}, ${moment(at)}`], ["At most", `${lasting(seconds)} a run`]];
    const facts = element("dl", { className: "facts" });
    for (const [name, value] of rows) if (value) facts.append(element("dt", {}, name), element("dd", {}, value));
    const given = parameters.map(({ name, type, required, default: usual }) => element("li", {}, element("code", {}, name), ` ${type ?? ""}${required ? ", needed" : `, otherwise ${usual}`}`));
    return [section("About it", facts), section("Parameters", list(given, "None.", "plain-list"))];
  }

  /** What it may do that the version before may not comes first. */
  #changes({ changes }) {
    if (changes.from === null) return [];
    const parts = [];
    if (changes.added_capabilities.length) parts.push(element("p", { className: "problems" }, `It may do more than version ${changes.from}: ${changes.added_capabilities.join(", ")}.`));
    if (changes.removed_capabilities.length) parts.push(element("p", {}, `It no longer needs: ${changes.removed_capabilities.join(", ")}.`));
    parts.push(list(changes.changed.map((words) => element("li", {}, words)), "", "plain-list"), changes.code ? difference(changes.code) : note("The code is the same."));
    return [section(`What changes from version ${changes.from}`, ...parts)];
  }

  #trialBox({ version, results }) {
    this.#trial.show(this.#route(version));
    const retry = button(results ? "Try it again" : "Try it out", () => during(retry, (trouble) => this.#notices.toast(`Not tried: ${trouble.message}`, 6000), async () => {
      const { message } = await ask("POST", `tools/${encodeURIComponent(this.#name)}/trial`, { version });
      this.#notices.toast(message, 5000);
      this.#told = "";
      await this.refresh();
    }));
    const lead = element("p", { className: "lead" }, "What the robot did in simulation, as it was recorded there; not what the tool says of itself.");
    return section("Trial", lead, this.#trial.element, element("p", { className: "buttons" }, retry));
  }

  #code({ code: text }) {
    return section("Code", opening([element("span", { className: "words" }, "Read the code")], (inside) => inside.append(code(text))));
  }

  #use({ state, name }) {
    if (state !== "active") return [];
    const fill = async (inside) => {
      try {
        const { tools } = await ask("GET", "tools?limit=500");
        const tool = tools.find((each) => each.group === "generated" && each.name === name);
        inside.replaceChildren(tool ? new ToolForm(tool).element : note("It is not there any more."));
      } catch (trouble) {
        inside.replaceChildren(failed(trouble, () => fill(inside)));
      }
    };
    return [section("Use it", opening([element("span", { className: "words" }, "Use it now")], fill))];
  }

  #file({ name, version }) {
    const save = button("Export", () => during(save, (trouble) => this.#notices.toast(`Not exported: ${trouble.message}`), async () => {
      const { bundle } = await ask("GET", `${this.#route(version)}/bundle`);
      const address = URL.createObjectURL(new Blob([bundle], { type: "application/json" }));
      element("a", { href: address, download: `${name}-v${version}.json` }).click();
      setTimeout(() => URL.revokeObjectURL(address), 1000);
    }));
    return section("Share it", element("p", { className: "lead" }, "A signed file, without your words. Whoever imports it tries and approves it themselves."), element("p", { className: "buttons" }, save));
  }
}

const section = (title, ...parts) => element("section", {}, element("h4", {}, title), ...parts);
