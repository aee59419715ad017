// What a person decides about a version: to use it, not to use it, to go back. The button to use it is the whole
// question of the gate, with the same arguments, so it is asked once.

import { ARMED_AFTER_MS } from "../talk/questions.js";
import { ask } from "../wire.js";
import { element } from "../words.js";
import { button, during, field, moment } from "./panel.js";

const MOST = 5;
const APPROVE = "workshop.approve_tool";

export class Decision {
  #notices;
  #questions;
  #whole;
  #done;
  element = element("section", { className: "card decision" });

  /** @param about {versions, active, whole: the version, done: called after a decision} */
  constructor(notices, questions, { versions, active, whole, done }) {
    this.#notices = notices;
    this.#questions = questions;
    this.#whole = whole;
    this.#done = done;
    this.element.setAttribute("aria-label", "Your decision");
    this.element.append(...this.#parts(versions, active));
  }

  #parts(versions, active) {
    const { state, trouble, reason, results, passed } = this.#whole;
    const allowed = state === "draft" || trouble ? [] : [this.#allowed()];
    if (trouble) return [title("It can't be used"), said(`Its files were changed: ${trouble}. Make it or import it again.`)];
    if (state === "draft") {
      const why = results ? `It did not pass its trial: ${(results.errors ?? []).slice(0, 2).join("; ")}` : "It was not tried here yet.";
      return [title("It is not ready"), said(why), said(results ? "Watch what happened below, then ask for a repair." : "Try it out below, then decide.")];
    }
    if (state === "tested") return [title("May I use this tool from now on?"), ...allowed, this.#reason, this.#buttons(this.#yes("Yes, use it"), this.#no)];
    if (state === "rejected") return [title("You rejected it"), ...(reason ? [said(reason)] : []), ...allowed, this.#buttons(...(passed ? [this.#yes("Use it after all")] : []))];
    if (state === "quarantined") {
      const words = "I don't use it until you decide. Watch its trial, ask for a repair, or use it again as it is.";
      return [title("It is in quarantine"), said(reason), said(words), ...allowed, this.#buttons(this.#yes("Use it again"), this.#no)];
    }
    if (state === "active") return [title("It is in use"), said(this.#approval), ...this.#since(), ...allowed, this.#buttons(this.#off, ...this.#earlier(versions))];
    return [title("It is not in use"), said(active ? `Version ${active} is in use.` : this.#approval), ...allowed, this.#buttons(this.#back(this.#whole.version, "Use this version again"))];
  }

  /** What it did since it was approved that a person may want to know. */
  #since() {
    const { noticed, faults } = this.#whole;
    const rows = [["It called what it called in no case of its trial: ", noticed], ["Runs that went wrong: ", faults]];
    return rows.filter(([, found]) => found.length).map(([words, found]) => element("p", { className: "problems" }, words + [...new Set(found)].slice(0, MOST).join(", ")));
  }

  #allowed() {
    const { allows, changes } = this.#whole;
    const added = changes.from === null ? [] : changes.added_capabilities;
    const rows = Object.entries(allows).map(([name, words]) => {
      const row = element("li", {}, words, " ", element("code", {}, name));
      if (added.includes(name)) row.append(" ", element("strong", { className: "tag confirm" }, "new"));
      return row;
    });
    const none = element("p", {}, "It may only compute, tell the time and set timers.");
    return element("div", { className: "allowed" }, element("p", {}, rows.length ? "It may:" : ""), rows.length ? element("ul", {}, ...rows) : none);
  }

  get #approval() {
    const { approved_at: at } = this.#whole;
    return at ? `It was approved ${moment(at)}.` : "";
  }

  #why = element("input", { type: "text", maxLength: 500, autocomplete: "off" });

  get #reason() {
    return element("details", {}, element("summary", {}, "Say why not (optional)"), field("Why not", this.#why));
  }

  #buttons(...buttons) {
    return element("p", { className: "buttons" }, ...buttons);
  }

  /** It can be pressed only after a moment, so that no click meant for something else answers. */
  #yes(words) {
    const { version, sha256, capabilities } = this.#whole;
    const yes = this.#button(words, "strong", (name) => this.#approve(name, { version, sha256, capabilities }));
    yes.disabled = true;
    setTimeout(() => (yes.disabled = false), ARMED_AFTER_MS);
    return yes;
  }

  async #approve(name, version) {
    const call_id = crypto.randomUUID().replaceAll("-", "");
    this.#questions.decide(call_id, APPROVE, { name: this.#whole.name, ...version });
    try {
      return await ask("POST", `${name}/approve`, { ...version, call_id });
    } finally {
      this.#questions.forget(call_id);
    }
  }

  get #no() {
    return this.#button("No", "quiet", (name) => ask("POST", `${name}/reject`, { version: this.#whole.version, reason: this.#why.value.trim() }));
  }

  get #off() {
    return this.#button("Stop using it", "quiet", (name) => ask("POST", `${name}/deactivate`, {}));
  }

  #earlier(versions) {
    const before = versions.findLast(({ state, version }) => state === "retired" && version !== this.#whole.version);
    return before ? [this.#back(before.version, `Go back to version ${before.version}`)] : [];
  }

  #back(version, words) {
    return this.#button(words, "quiet", (name) => ask("POST", `${name}/rollback`, { version }));
  }

  #button(words, kind, act) {
    const made = button(words, () => during(made, (trouble) => this.#notices.toast(`Nothing has changed: ${trouble.message}${trouble.hint ? `. ${trouble.hint}` : ""}`, 8000), async () => {
      const { message } = await act(`tools/${encodeURIComponent(this.#whole.name)}`);
      this.#notices.toast(message, 5000);
      this.#done();
    }), kind);
    return made;
  }
}

const title = (words) => element("h4", {}, words);
const said = (words) => element("p", {}, words);
