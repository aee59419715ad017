// The history of a repository, the newest first; each commit opens to what it changed.

import { ask } from "../wire.js";
import { element } from "../words.js";
import { shownDiff } from "./change_list.js";
import { KeyedRows } from "./keyed_rows.js";
import { Panel, button, chip, during, failed, note, opening } from "./panel.js";

const PAGE = 30;
const MOST_REFS = 3;

export class CommitList {
  name = "History";
  #name = "";
  #panel = new Panel("History");
  #rows;
  #commits = [];
  #older = button("Older", () => this.#page());
  #trouble = element("div");

  of(name) {
    this.#name = name;
    this.#commits = [];
    this.#rows = new KeyedRows((commit) => new CommitRow(`developer/repositories/${name}`, commit), "Nothing was committed yet.");
    this.#older.hidden = true;
    this.element.replaceChildren(this.#rows.element, this.#trouble, element("p", { className: "buttons" }, this.#older));
  }

  element = element("div");

  enter() {
    return this.#panel.fill(() => this.#load(0), (told) => this.#show(told), this.#rows.element);
  }

  async look() {
    const name = this.#name;
    try {
      const told = await this.#load(0);
      if (name === this.#name) this.#show(told);
    } catch {
      // The line is down: what was known stays, and it is asked again.
    }
  }

  #load(offset) {
    return ask("GET", `developer/repositories/${this.#name}/log?offset=${offset}&limit=${PAGE}`);
  }

  /** The newest ones: where they are the ones that were known, the older ones still hold. */
  #show({ commits, more }) {
    if (commits.length && commits[0].commit === this.#commits[0]?.commit && this.#commits.length > commits.length) return;
    this.#commits = commits;
    this.#older.hidden = !more;
    this.#draw();
  }

  #page() {
    const name = this.#name;
    this.#trouble.replaceChildren();
    return during(this.#older, (trouble) => this.#trouble.replaceChildren(failed(trouble)), async () => {
      const { commits, more } = await this.#load(this.#commits.length);
      if (name !== this.#name) return;
      this.#commits = [...this.#commits, ...commits];
      this.#older.hidden = !more;
      this.#draw();
    });
  }

  #draw() {
    this.#rows.show(this.#commits.map((commit) => [commit.commit, commit]));
  }
}

class CommitRow {
  #refs = element("span", { className: "state-chips" });
  #told = "";

  constructor(route, { commit, subject, author, date }) {
    const about = element("small", {}, [author, day(date)].join(" · "), " · ", element("code", {}, commit.slice(0, 8)));
    const words = element("span", { className: "words" }, element("strong", {}, subject || "(without a message)"), about);
    this.element = opening([words, this.#refs], (inside) => this.#load(`${route}/diff?commit=${commit}`, inside, subject));
    this.element.dataset.commit = commit;
  }

  show({ refs }) {
    if (refs === this.#told) return;
    this.#told = refs;
    const names = refs.split(", ").map((name) => name.replace(/^HEAD -> /, "")).filter((name) => name && name !== "HEAD");
    this.#refs.replaceChildren(...names.slice(0, MOST_REFS).map((name) => chip(name.replace(/^tag: /, ""), name.startsWith("tag: ") ? "confirm" : "own")));
  }

  async #load(route, inside, subject) {
    inside.replaceChildren(note("One moment…"));
    try {
      inside.replaceChildren(...shownDiff(await ask("GET", route), `What changed with: ${subject}`, true));
    } catch (trouble) {
      inside.replaceChildren(failed(trouble, () => this.#load(route, inside, subject)));
    }
  }
}

/** "3 May 2026, 14:05" */
function day(date) {
  const at = new Date(date);
  return Number.isNaN(at.getTime()) ? "" : at.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}
