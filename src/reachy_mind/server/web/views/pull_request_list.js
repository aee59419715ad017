// The pull requests of a repository on GitHub, with what their checks say. GitHub may be out of reach: then it says why.

import { ask } from "../wire.js";
import { element, icon } from "../words.js";
import { KeyedRows } from "./keyed_rows.js";
import { Panel, button, chip, choice, failed, field, note, opening } from "./panel.js";

const PAGE = 10;
const MOST = 100;
const LOOK_AGAIN_MS = 30_000; // while checks run
const STATES = [["open", "Open"], ["closed", "Closed or merged"], ["all", "All"]];
const CHECKS = { passed: ["checks passed", "done"], failed: ["checks failed", "failed"], pending: ["checks run", "running"], none: ["no checks", ""] };
const MARKS = { passed: ["ok", "passed"], failed: ["error", "failed"], pending: ["started", "runs"], skipped: ["cancelled", "skipped"] };

export class PullRequestList {
  name = "Pull requests";
  element = element("div");
  #name = "";
  #state = choice(STATES, "open");
  #panel = new Panel("Pull requests");
  #trouble = element("div");
  #rows;
  #more = button("More", () => this.#grow());
  #shown = PAGE;
  #lookedAt = 0;
  #turn = 0;

  constructor() {
    this.#state.addEventListener("input", () => this.enter());
  }

  of(name) {
    this.#name = name;
    this.#shown = PAGE;
    this.#rows = new KeyedRows((pull) => new PullRow(`developer/repositories/${name}/pulls/${pull.number}/checks`, pull), "There is none.");
    this.#more.hidden = true;
    this.#trouble.replaceChildren();
    const again = button("Look again", () => this.enter());
    const filters = element("div", { className: "adding pulls-head" }, field("Which", this.#state), again);
    this.element.replaceChildren(filters, this.#trouble, this.#rows.element, element("p", { className: "buttons" }, this.#more));
  }

  enter() {
    return this.#panel.fill(() => this.#load(), (told) => this.#show(told), this.#rows.element);
  }

  leave() {
    this.#turn += 1; // nobody looks at the checks any more
  }

  /** Checks that run are asked for again; the list when somebody wants it. */
  look() {
    const running = this.#rows.all.filter((row) => row.state === "pending");
    if (!running.length || performance.now() - this.#lookedAt < LOOK_AGAIN_MS) return;
    this.#check(running);
  }

  heard(event, shown) {
    if (shown && event.type === "ToolCalled" && /^github\.github_(create|merge|update|close)_pr$/.test(event.tool)) this.enter();
  }

  #load() {
    const wanted = new URLSearchParams({ state: this.#state.value, limit: this.#shown });
    return ask("GET", `developer/repositories/${this.#name}/pulls?${wanted}`);
  }

  #grow() {
    this.#shown = Math.min(this.#shown + PAGE, MOST);
    return this.enter();
  }

  #show({ pulls, more, error, has_token: known }) {
    this.#trouble.replaceChildren(...(error ? [excuse(error)] : []));
    this.#rows.element.hidden = Boolean(error);
    this.#more.hidden = !more || this.#shown >= MOST;
    if (error) return;
    this.#rows.show(pulls.map((pull) => [pull.number, pull]));
    // Without a token GitHub answers 60 questions an hour: then only what somebody opens is asked for.
    if (known) this.#check(this.#rows.all.filter((row) => row.isOpen));
  }

  /** One after the other: GitHub is not to be pressed. */
  async #check(rows) {
    const turn = (this.#turn += 1);
    this.#lookedAt = performance.now();
    for (const row of rows) {
      if (turn !== this.#turn || !(await row.check())) return;
    }
  }
}

/** Why GitHub can't be asked: no fault of the page, and nothing else is the worse for it. */
function excuse({ message, hint }) {
  return element("div", { className: "problems" }, element("p", {}, `GitHub can't be asked: ${message}.`), ...(hint ? [element("p", {}, hint)] : []));
}

class PullRow {
  #route;
  #title = element("strong");
  #about = element("small");
  #chip = element("span", { className: "tag checks" }, "…");
  #inside = null;
  #link = element("p", { className: "buttons" });
  isOpen = false;
  state = "";

  constructor(route, { number }) {
    this.#route = route;
    const words = element("span", { className: "words" }, this.#title, this.#about);
    this.element = opening([words, this.#chip], (inside) => {
      this.#inside = element("div", {}, note("One moment…"));
      inside.append(this.#inside, this.#link);
      this.check();
    });
    this.element.dataset.pull = number;
  }

  show({ number, title, state, draft, author, head, base, url }) {
    this.isOpen = state === "open";
    this.#title.textContent = `${number}: ${title}`;
    this.#about.textContent = [`${head} → ${base}`, author, draft ? "draft" : "", this.isOpen ? "" : state].filter(Boolean).join(" · ");
    this.#link.replaceChildren(...linked(url, "See it on GitHub"));
    if (!this.state) this.#chip.textContent = this.isOpen ? "…" : state;
  }

  /** Asks what the checks say. Whether GitHub could be asked. */
  async check() {
    try {
      const told = await ask("GET", this.#route);
      this.#inside?.replaceChildren(...(told.error ? [excuse(told.error)] : shownChecks(told)));
      if (told.error) return false;
      this.state = told.state;
      const [words, kind] = CHECKS[told.state];
      const now = chip(words, kind);
      this.#chip.replaceWith(now);
      this.#chip = now;
      return true;
    } catch (trouble) {
      this.#inside?.replaceChildren(failed(trouble, () => this.check()));
      return false;
    }
  }
}

function shownChecks({ summary, checks, missing, more }) {
  const rows = checks.map(({ name, state, detail, step, url, required }) => {
    const [mark, words] = MARKS[state];
    const about = [step ? `failed at: ${step}` : "", detail].filter(Boolean).join(" · ");
    const ended = element("span", { className: `ended ${mark}` }, icon(mark), element("span", { className: "hidden" }, words));
    const said = element("span", { className: "words" }, element("strong", {}, name), ...(about ? [element("small", {}, about)] : []));
    const row = element("li", { className: "line check" }, ended, said, ...(required ? [chip("required")] : []), ...linked(url, "Log", `Log of ${name}, on GitHub`));
    row.dataset.check = name;
    return row;
  });
  const waiting = missing.map((name) => element("li", { className: "line" }, element("span", { className: "words" }, element("strong", {}, name), element("small", {}, "required, and has not begun"))));
  return [element("p", { className: "count" }, summary), element("ul", { className: "rows" }, ...rows, ...waiting), ...(more ? [note("There are more.")] : [])];
}

/** A link to elsewhere, where the address is one of the web. */
function linked(url, words, label = words) {
  if (!/^https?:\/\//.test(url)) return [];
  const link = element("a", { className: "away", href: url, target: "_blank", rel: "noopener noreferrer" }, words);
  if (label !== words) link.setAttribute("aria-label", label);
  return [link];
}
