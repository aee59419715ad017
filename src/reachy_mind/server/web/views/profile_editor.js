// One personality: its words, its voice, its tools; to be used, changed, copied or put aside.

import { ask } from "../wire.js";
import { element, spoken } from "../words.js";
import { button, choice, during, failed, field } from "./panel.js";
import { title } from "./personality.js";

const PACES = [["", "as usual"], ["0.8", "slowly"], ["1.2", "a little fast"], ["1.5", "fast"]];

export class ProfileEditor {
  #notices;
  #changed;
  #shown = null;
  #turn = 0;
  #tools = null;
  #inputs = {};
  #before = {};
  #be = button("Be this", () => this.#use(), "strong");

  /** @param changed is told whom to show, after something was saved */
  constructor(notices, changed) {
    this.#notices = notices;
    this.#changed = changed;
    this.element = element("section", { className: "card editor" });
    this.element.setAttribute("aria-label", "The chosen personality");
  }

  async show(name, { active, voices, moods }) {
    const turn = (this.#turn += 1);
    try {
      const [profile, { tools }] = await Promise.all([ask("GET", `profiles/${encodeURIComponent(name)}`), this.#tools ?? ask("GET", "tools")]);
      this.#tools = { tools };
      if (turn !== this.#turn) return;
      if (this.#shown?.name === name && Object.keys(this.#news).length) this.#offer(profile, active); // half written: it stays
      else this.#draw(profile, active, { voices, moods }, tools);
    } catch (trouble) {
      if (turn === this.#turn) this.element.replaceChildren(failed(trouble, () => this.show(name, { active, voices, moods })));
    }
  }

  #draw(profile, active, offered, tools) {
    this.#shown = profile;
    const own = profile.source === "user";
    const head = element("div", { className: "editor-head" }, element("h3", {}, title(profile.name)), this.#be);
    this.#offer(profile, active);
    const form = element("form", { autocomplete: "off" }, ...this.#fields(profile, offered), this.#toolbox(profile, tools), this.#ending(own));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#save(form.querySelector("[type=submit]"));
    });
    const problems = profile.problems.map(({ file, what }) => element("li", {}, `${file}: ${what}`));
    const parts = [head];
    if (problems.length) parts.push(element("ul", { className: "problems" }, ...problems));
    this.element.replaceChildren(...parts, form);
    this.#before = this.#values();
  }

  #offer({ name, broken }, active) {
    this.#be.textContent = name === active ? "This is me now" : "Be this";
    this.#be.disabled = name === active || Boolean(broken);
  }

  #fields({ about, greeting, instructions, voice, speed, mood }, { voices, moods }) {
    const known = [["", "the usual voice"], ...voices.map((each) => [each, each])];
    if (voice && !voices.includes(voice)) known.push([voice, voice]);
    const paces = PACES.some(([pace]) => pace === String(speed ?? "")) ? PACES : [...PACES, [String(speed), `${speed} times as fast`]];
    this.#inputs = {
      about: element("input", { type: "text", value: about, maxLength: 300 }),
      greeting: element("input", { type: "text", value: greeting, maxLength: 1000 }),
      instructions: element("textarea", { value: instructions, rows: 8, required: true }),
      voice: choice(known, voice),
      speed: choice(paces, String(speed ?? "")),
      mood: choice([["", "as it is"], ...moods.filter((each) => each !== "neutral")], mood),
    };
    return [
      field("In a sentence", this.#inputs.about),
      field("Says hello with", this.#inputs.greeting),
      field("Who it is, and how it speaks", this.#inputs.instructions, "for models that think in sentences; the built-in thinking uses the manner of the personality"),
      element("div", { className: "filters" }, field("Voice", this.#inputs.voice), field("Speaks", this.#inputs.speed), field("Mood", this.#inputs.mood)),
    ];
  }

  #toolbox({ tools: has }, tools) {
    const boxes = tools.map((tool) => {
      const input = element("input", { type: "checkbox", checked: has.includes(tool.name), value: tool.name });
      return element("label", { className: "tick" }, input, spoken(tool.name));
    });
    const inputs = boxes.map((box) => box.firstElementChild);
    this.#inputs.tools = inputs;
    const count = element("span", { className: "count" });
    const tell = () => (count.textContent = `${inputs.filter((input) => input.checked).length} of ${inputs.length}`);
    const set = (on) => () => (inputs.forEach((input) => (input.checked = on)), tell());
    inputs.forEach((input) => input.addEventListener("change", tell));
    tell();
    const all = element("p", { className: "buttons" }, button("All", set(true), "quiet small"), button("None", set(false), "quiet small"));
    const inside = element("fieldset", { className: "ticks" }, element("legend", { className: "hidden" }, "Tools it may use"), ...boxes);
    return element("details", { className: "row" }, element("summary", {}, element("span", { className: "words" }, element("strong", {}, "Tools it may use")), count), all, inside);
  }

  #ending(own) {
    const save = element("button", { type: "submit", className: "strong" }, own ? "Save" : "Save as my own");
    const parts = [save];
    this.#inputs.name = element("input", { type: "text", maxLength: 64, pattern: "[a-z0-9][a-z0-9_\\-]*", required: !own, placeholder: "sea_captain" });
    const named = field(own ? "Save under another name" : "Name of your own", this.#inputs.name, own ? "only to make a copy" : "this one came with me and stays as it is; small letters, digits, - and _");
    if (own) parts.push(button("Delete", (event) => this.#remove(event.target)));
    return element("div", { className: "ending" }, named, element("p", { className: "buttons" }, ...parts));
  }

  #values() {
    const { about, greeting, instructions, voice, speed, mood, tools } = this.#inputs;
    const pace = `${speed.value ? `\nspeed: ${speed.value}` : ""}${mood.value ? `\nmood: ${mood.value}` : ""}`;
    return { about: about.value, greeting: greeting.value, instructions: instructions.value, voice: `${voice.value}${pace}`.trim(), tools: tools.filter((input) => input.checked).map((input) => input.value) };
  }

  /** Only what was changed: what is not sent stays as its author wrote it. */
  get #news() {
    if (!this.#inputs.tools) return {};
    const now = this.#values();
    return Object.fromEntries(Object.entries(now).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(this.#before[key])));
  }

  async #use() {
    this.#be.disabled = true; // until who it is has been told anew
    try {
      const { greeting } = await ask("POST", `profiles/${encodeURIComponent(this.#shown.name)}/activate`, {});
      this.#notices.toast(greeting);
    } catch (trouble) {
      this.#be.disabled = false;
      this.#tell(trouble);
    }
  }

  #save(pressed) {
    const name = this.#inputs.name.value.trim();
    return during(pressed, (trouble) => this.#tell(trouble), async () => {
      const made = name
        ? await ask("POST", "profiles", { name, like: this.#shown.name, ...this.#news })
        : await ask("PUT", `profiles/${encodeURIComponent(this.#shown.name)}`, this.#news);
      this.#before = this.#values();
      this.#notices.toast(made.active ? `Saved: from now on I am like that.` : `Saved: ${title(made.name)}.`);
      this.#changed(made.name);
    });
  }

  #remove(pressed) {
    const { name } = this.#shown;
    return during(pressed, (trouble) => this.#tell(trouble), async () => {
      await ask("DELETE", `profiles/${encodeURIComponent(name)}`);
      this.#notices.toast(`${title(name)} was put aside.`);
      this.#changed(null);
    });
  }

  #tell({ message, hint }) {
    this.#notices.toast(hint ? `${message} (${hint})` : message, 6000);
  }
}
