// One repository: what is changed, its history, its pull requests, and what runs. What changes it is a tool call, about
// which a person is asked as everywhere.

import { Trouble, ask } from "../wire.js";
import { element } from "../words.js";
import { ChangeList } from "./change_list.js";
import { CommitList } from "./commit_list.js";
import { button, during } from "./panel.js";
import { PullRequestList } from "./pull_request_list.js";
import { TOOLS, onBranch, stateChips } from "./repository_state.js";
import { Tabs } from "./tabs.js";
import { TaskList } from "./task_list.js";

export class RepositorySheet {
  #notices;
  #name = "";
  #title = element("h3", { tabIndex: -1 });
  #about = element("p", { className: "lead" });
  #chips = element("span", { className: "state-chips" });
  #pull = button("Pull", () => this.#act(this.#pull, "github_pull"));
  #commit = button("Commit everything", () => this.#act(this.#commit, "github_commit", { stage_all: true }));
  #push = button("Push", () => this.#act(this.#push, "github_push"));
  #changes = new ChangeList((status) => this.#tell(status));
  #parts;
  #tabs;

  constructor(notices) {
    this.#notices = notices;
    this.#parts = [this.#changes, new CommitList(), new PullRequestList(), new TaskList(notices, TOOLS)];
    this.#tabs = new Tabs("Repository", this.#parts);
    const back = element("a", { className: "back", href: "#/developer" }, "← All repositories");
    const head = element("header", { className: "sheet-head" }, this.#title, this.#chips);
    const buttons = element("p", { className: "buttons" }, this.#pull, this.#commit, this.#push);
    this.element = element("article", { className: "sheet", hidden: true }, back, head, this.#about, buttons, this.#tabs.element);
  }

  /** Shows the repository of this name; hides with none. */
  show(name, { focus = false } = {}) {
    this.element.hidden = !name;
    if (!name) return this.leave();
    if (name !== this.#name) {
      this.#name = name;
      this.#title.textContent = name;
      this.#about.textContent = " ";
      this.#chips.replaceChildren();
      for (const pressed of [this.#pull, this.#commit, this.#push]) pressed.disabled = true;
      for (const part of this.#parts) part.of?.(name);
      this.#tabs.show(0);
    }
    this.element.closest(".view")?.scrollTo(0, 0);
    if (focus) this.#title.focus({ preventScroll: true });
    this.enter();
  }

  enter() {
    this.#tabs.current.enter();
    if (this.#tabs.current !== this.#changes) this.#changes.look(); // the heading tells of them
  }

  leave() {
    for (const part of this.#parts) part.leave?.();
  }

  heard(event, shown) {
    for (const part of this.#parts) part.heard?.(event, shown && part === this.#tabs.current);
  }

  /** What is shown, as it is by now. */
  look() {
    this.#changes.look();
    if (this.#tabs.current !== this.#changes) this.#tabs.current.look?.();
  }

  #tell(status) {
    const { branch, upstream, ahead, total } = status;
    this.#about.textContent = onBranch(status);
    this.#chips.replaceChildren(...stateChips({ ...status, changed: total }));
    this.#pull.disabled = !upstream;
    this.#commit.disabled = !total;
    this.#push.disabled = !branch || (Boolean(upstream) && !ahead);
  }

  async #act(pressed, tool, parameters = {}) {
    const tell = (trouble) => this.#notices.toast([`Not done: ${trouble.message}.`, trouble.hint].filter(Boolean).join(" "), 9000);
    await during(pressed, tell, async () => {
      const { result, error } = await ask("POST", "tools/execute", { tool_name: `github.${tool}`, parameters: { repo: this.#name, ...parameters } });
      if (error) throw new Trouble(error);
      this.#notices.toast(result.message, 6000);
    });
    this.look();
  }
}
