// Developer: the repositories that are cloned here, and what runs for them. The address names the one that is open:
// #/developer/NAME.

import { ask } from "../wire.js";
import { element } from "../words.js";
import { KeyedRows } from "./keyed_rows.js";
import { Panel, button, calmly, chip, note } from "./panel.js";
import { TOOLS, onBranch, stateChips } from "./repository_state.js";
import { RepositorySheet } from "./repository_sheet.js";
import { TaskList } from "./task_list.js";

const LEAD = "The repositories that are cloned here, as they are now. Ask me to clone one, to make a branch, to commit; what can't be undone I ask you about first.";
const NONE = "None is cloned yet. A personality that has the tools of GitHub clones one when you say so: “clone me/house”.";
const PAGE = 20;
const LOOK_AGAIN_MS = 10_000; // files change by other programs, too

export default class Developer {
  #panel = new Panel("Developer", LEAD);
  #rows = new KeyedRows((told) => new RepositoryRow(told), NONE, "ul");
  #more = button("More", () => this.#refresh(this.#shown + PAGE));
  #where = note("");
  #shown = PAGE;
  #tasks;
  #below;
  #overview;
  #sheet;
  #open = null;
  #timer = 0;
  #asking = false;
  #soon = calmly(() => this.element.isConnected && this.#look(), 150);

  constructor({ notices }) {
    this.element = this.#panel.element;
    this.element.classList.add("wide", "developer");
    this.#sheet = new RepositorySheet(notices);
    this.#tasks = new TaskList(notices, TOOLS);
    this.#more.hidden = true;
    const repositories = element("section", {}, element("h3", {}, "Repositories"), this.#rows.element, this.#where, element("p", { className: "buttons" }, this.#more));
    this.#below = element("section", { hidden: true }, element("h3", {}, "Tasks"), this.#tasks.element); // until it is known where
    this.#overview = element("div", { className: "overview" }, repositories, this.#below);
    this.#panel.body.append(this.#overview, this.#sheet.element);
    addEventListener("hashchange", () => this.element.isConnected && this.#go());
  }

  enter() {
    this.#open = null;
    this.#go();
    clearInterval(this.#timer);
    this.#timer = setInterval(() => !document.hidden && this.#look(), LOOK_AGAIN_MS);
  }

  leave() {
    clearInterval(this.#timer);
    this.#sheet.leave();
  }

  connected() {
    if (this.#open) return this.#sheet.enter();
    this.#tasks.enter();
    this.#again();
  }

  heard(event) {
    const shown = this.element.isConnected;
    this.#tasks.heard(event, shown && !this.#open);
    this.#sheet.heard(event, shown && Boolean(this.#open));
    if (event.type === "Missed" || (event.type === "ToolCalled" && TOOLS.test(event.tool))) this.#soon();
  }

  #go() {
    const [, name = ""] = location.hash.match(/^#\/developer\/([\w.-]+)/) ?? [];
    if (name === this.#open) return;
    const moved = this.#open !== null;
    this.#open = name;
    this.#overview.hidden = Boolean(name);
    this.#sheet.show(name, { focus: moved });
    if (name) return;
    this.#tasks.enter();
    this.#refresh();
  }

  /** What is shown, as it is by now. */
  #look() {
    if (this.#open) this.#sheet.look();
    else this.#again();
  }

  #refresh(shown = this.#shown) {
    this.#shown = shown;
    this.#panel.fill(() => this.#load(), (told) => this.#show(told), this.#rows.element);
  }

  async #again() {
    if (this.#asking) return;
    this.#asking = true;
    try {
      this.#show(await this.#load());
    } catch {
      // The line is down: what was known stays, and it is asked again.
    } finally {
      this.#asking = false;
    }
  }

  /** The server reads some at a time. */
  async #load() {
    const found = { repositories: [], total: 1 };
    while (found.repositories.length < Math.min(this.#shown, found.total)) {
      const part = await ask("GET", `developer/repositories?offset=${found.repositories.length}&limit=${PAGE}`);
      found.repositories.push(...part.repositories);
      Object.assign(found, { total: part.total, folder: part.folder });
      if (!part.repositories.length) break;
    }
    return found;
  }

  #show({ repositories, total, folder }) {
    this.#rows.show(repositories.map((told) => [`${told.problem ? "!" : ""}${told.name}`, told]));
    this.#below.hidden = false;
    this.#where.textContent = `They are in ${folder}.`;
    this.#more.hidden = repositories.length >= total;
  }
}

/** A repository in the list; one that can't be read says why. */
class RepositoryRow {
  #about = element("small");
  #chips = element("span", { className: "state-chips" });
  #told = "";

  constructor({ name, problem }) {
    const words = element("span", { className: "words" }, element("strong", {}, name), this.#about);
    const inside = [words, this.#chips];
    const row = problem ? element("div", { className: "line repo-line" }, ...inside) : element("a", { className: "line repo-line", href: `#/developer/${name}` }, ...inside);
    this.element = element("li", {}, row);
    this.element.dataset.repository = name;
  }

  show(told) {
    const now = JSON.stringify(told);
    if (now === this.#told) return;
    this.#told = now;
    this.#about.textContent = told.problem || onBranch(told);
    this.#about.classList.toggle("bad", Boolean(told.problem));
    this.#chips.replaceChildren(...(told.problem ? [chip("can't be read", "failed")] : stateChips(told)));
  }
}
