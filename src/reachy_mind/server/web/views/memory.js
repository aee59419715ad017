// Memory: what I know about somebody, to look through, add to, take along and have forgotten.

import { ask } from "../wire.js";
import { element } from "../words.js";
import { Panel, button, calmly, chip, choice, during, field, list, moment } from "./panel.js";

const PAGE = 50;
const KINDS = { fact: "fact", preference: "likes", event: "event", observation: "seen", conversation: "talk", task: "task" };
const NOBODY = "People who have not said their name";

export default class Memory {
  #notices;
  #panel = new Panel("Memory", "What I remember of what you told me. It stays on this machine, and you can have it forgotten.");
  #person = choice([["", NOBODY]], "");
  #query = element("input", { type: "search", placeholder: "coffee, birthday…" });
  #about = element("section", { className: "card", hidden: true });
  #list = element("div");
  #count = element("p", { className: "count" });
  #more = button("More", () => this.#refresh(this.#shown + PAGE));
  #export = button("Save a copy", () => this.#copy());
  #erase = button("Forget everything", () => this.#forgetAll());
  #words = element("input", { type: "text", maxLength: 2000, autocomplete: "off", placeholder: "I like my tea without sugar" });
  #shown = PAGE;

  constructor({ notices }) {
    this.#notices = notices;
    this.element = this.#panel.element;
    this.#person.addEventListener("input", () => this.#refresh());
    this.#query.addEventListener("input", calmly(() => this.#refresh()));
    this.#count.setAttribute("role", "status");
    const filters = element("div", { className: "filters" }, field("About", this.#person), field("Search", this.#query));
    const all = element("p", { className: "buttons" }, this.#export, this.#erase);
    this.#panel.body.append(filters, this.#about, this.#count, this.#list, this.#more, this.#adding(), all);
  }

  enter() {
    this.#people();
  }

  connected() {
    this.#people();
  }

  heard(event) {
    if (event.type === "ToolCalled" && event.status === "ok" && /^memory\.(store|forget|update|erase)/.test(event.tool) && this.element.isConnected) this.#people();
  }

  #adding() {
    const add = element("button", { type: "submit", className: "quiet" }, "Remember");
    const form = element("form", { className: "adding" }, field("Something to remember", this.#words), add);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const content = this.#words.value.trim();
      if (!content) return;
      during(add, (trouble) => this.#notices.toast(`Not remembered: ${trouble.message}`), async () => {
        const { message } = await ask("POST", "memory", { content, person: this.#person.value });
        this.#words.value = "";
        this.#notices.toast(message);
      });
    });
    return form;
  }

  /** Who is known; then what of whom is chosen. */
  async #people() {
    try {
      const { people } = await ask("GET", "people?limit=500");
      const chosen = this.#person.value || (this.#person.dataset.touched ? "" : (people[0]?.name ?? ""));
      this.#person.dataset.touched = "yes";
      this.#person.replaceChildren(...people.map(({ name }) => element("option", { value: name, textContent: name })), element("option", { value: "", textContent: NOBODY }));
      this.#person.value = people.some(({ name }) => name === chosen) ? chosen : "";
    } catch {
      // The list below says what is wrong.
    }
    this.#refresh();
  }

  #refresh(shown = PAGE) {
    this.#shown = shown;
    const person = this.#person.value;
    const query = this.#query.value.trim();
    const wanted = new URLSearchParams({ person, query, limit: Math.min(shown, 500) });
    this.#export.hidden = !person;
    this.#panel.fill(() => Promise.all([ask("GET", `memory?${wanted}`), person ? ask("GET", `people/${encodeURIComponent(person)}`) : null]), ([{ memories, total }, known]) => {
      this.#tell(known, query);
      this.#count.textContent = query ? `${memories.length} that fit` : total === 1 ? "1 memory" : `${total} memories`;
      const none = query ? "I remember nothing like that." : "Nothing yet. Tell me something: “remember that I like tea”.";
      this.#list.replaceChildren(list(memories.map((memory) => this.#row(memory)), none));
      this.#more.hidden = Boolean(query) || memories.length >= total;
      this.#erase.hidden = !total && !person;
    }, this.#list);
  }

  /** The short of it: name, likes, home. */
  #tell(known, query) {
    const facts = Object.entries(known?.profile ?? {}).filter(([, value]) => value && String(value).length);
    this.#about.hidden = !facts.length || Boolean(query);
    const list = element("dl", { className: "facts" });
    for (const [key, value] of facts) list.append(element("dt", {}, key), element("dd", {}, said(value)));
    this.#about.replaceChildren(element("h3", {}, "In short"), list);
  }

  #row(memory) {
    const words = element("span", { className: "words" }, element("strong", {}, memory.content), element("small", {}, moment(memory.created_at ?? memory.at ?? 0)));
    const forget = button("Forget", () => during(forget, (trouble) => this.#notices.toast(`Not forgotten: ${trouble.message}`), async () => {
      const { message } = await ask("DELETE", `memory/${encodeURIComponent(memory.id)}`);
      this.#notices.toast(message);
    }), "quiet small");
    forget.setAttribute("aria-label", `Forget: ${memory.content}`);
    return element("li", { className: "line" }, words, chip(KINDS[memory.type] ?? memory.type), forget);
  }

  #copy() {
    return during(this.#export, (trouble) => this.#notices.toast(trouble.message), async () => {
      const person = this.#person.value;
      const kept = await ask("GET", `people/${encodeURIComponent(person)}/export`);
      const address = URL.createObjectURL(new Blob([JSON.stringify(kept, null, 2)], { type: "application/json" }));
      element("a", { href: address, download: `reachy-${person.toLowerCase().replaceAll(/\W+/g, "-")}.json` }).click();
      setTimeout(() => URL.revokeObjectURL(address), 1000);
    });
  }

  #forgetAll() {
    const person = this.#person.value;
    const route = person ? `people/${encodeURIComponent(person)}` : "memory?query=everything";
    return during(this.#erase, (trouble) => this.#notices.toast(`Nothing was forgotten: ${trouble.message}`), async () => {
      const { message } = await ask("DELETE", route);
      this.#notices.toast(message);
    });
  }
}

const said = (value) => (Array.isArray(value) ? value.map(said).join(", ") : typeof value === "object" ? Object.values(value).map(said).join(", ") : String(value));
