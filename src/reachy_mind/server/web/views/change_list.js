// The files of a repository that are not as they were committed; each opens to what came and went.

import { ask } from "../wire.js";
import { element } from "../words.js";
import { diffLines } from "./diff_lines.js";
import { KeyedRows } from "./keyed_rows.js";
import { Panel, button, chip, failed, note, opening } from "./panel.js";

const PAGE = 100;
const MOST = 1000;
const STATES = { conflict: ["in conflict", "failed"], staged: ["staged", "done"], modified: ["not staged", "confirm"], untracked: ["new", ""] };
const WHICH = { conflict: "unstaged", staged: "staged", modified: "unstaged", untracked: "untracked" };
const COUNTED = { conflict: "in conflict", staged: "staged", modified: "not staged", untracked: "new" };
const number = (count) => count.toLocaleString("en");

export class ChangeList {
  name = "Changes";
  #tell;
  #name = "";
  #shown = PAGE;
  #panel = new Panel("Changes");
  #count = element("p", { className: "count" });
  #rows;
  #more = button("More", () => this.#grow());
  #rest = note("");
  #fresh = true;
  #asking = false;

  /** @param tell is given every new state of the repository */
  constructor(tell) {
    this.#tell = tell;
    this.#count.setAttribute("role", "status");
    this.element = element("div", { className: "changes" });
  }

  /** Which repository it is about. */
  of(name) {
    this.#name = name;
    this.#shown = PAGE;
    this.#fresh = true;
    this.#count.textContent = " ";
    this.#rows = new KeyedRows((file) => new FileRow(this.#route, file), "Nothing is changed: it is as it was committed.");
    this.#more.hidden = this.#rest.hidden = true;
    this.element.replaceChildren(this.#count, this.#rows.element, this.#rest, element("p", { className: "buttons" }, this.#more));
  }

  enter() {
    return this.#panel.fill(() => this.#load(), (status) => this.#show(status), this.#rows.element);
  }

  /** As it is by now; what is open is read again. */
  async look() {
    if (this.#asking) return;
    this.#asking = true;
    const name = this.#name;
    try {
      const status = await this.#load();
      if (name === this.#name) this.#show(status);
    } catch {
      // The line is down, or the repository is gone: what was known stays, and it is asked again.
    } finally {
      this.#asking = false;
    }
  }

  get #route() {
    return `developer/repositories/${this.#name}`;
  }

  #load() {
    return ask("GET", `${this.#route}/status?limit=${this.#shown}`);
  }

  #grow() {
    this.#shown = Math.min(this.#shown + PAGE, MOST);
    return this.look();
  }

  #show(status) {
    const { counts, files, total, cut } = status;
    this.#tell(status);
    const said = Object.entries(counts).filter(([, count]) => count).map(([state, count]) => `${number(count)} ${COUNTED[state]}`);
    const now = said.join(", ") || " ";
    if (this.#count.textContent !== now) this.#count.textContent = now;
    this.#rows.show(files.map((file) => [`${file.state} ${file.path}`, file]));
    this.#more.hidden = files.length >= total || this.#shown >= MOST;
    this.#rest.hidden = !(cut || (this.#shown >= MOST && total > files.length));
    this.#rest.textContent = `And ${cut ? "more" : `${number(total - files.length)} more`} than can be listed here.`;
    if (this.#fresh && files.length) this.#rows.all[0].open();
    this.#fresh = false;
  }
}

/** A changed file. What came and went is asked for when it is opened. */
class FileRow {
  #route;
  #file;
  #about = element("small");
  #state = element("span");
  #inside;
  #told = null;

  constructor(route, file) {
    this.#route = route;
    this.#file = file;
    const words = element("span", { className: "words" }, element("strong", {}, file.path), this.#about);
    if (file.addressable) {
      this.element = opening([words, this.#state], (inside) => {
        this.#inside = inside;
        this.#load();
      });
    } else this.element = element("div", { className: "line" }, words, this.#state);
    this.element.dataset.path = file.path;
  }

  open() {
    if (this.#file.addressable) this.element.open = true;
  }

  show(file) {
    this.#file = file;
    const [state, kind] = STATES[file.state];
    if (this.#state.textContent !== state) this.#state.replaceWith((this.#state = chip(state, kind)));
    const about = file.before ? `${file.change} from ${file.before}` : file.addressable || file.change === "new folder" ? file.change : `${file.change}; its name can't be written here`;
    if (this.#about.textContent !== about) this.#about.textContent = about;
    if (this.element.open && this.#told !== null) this.#load();
  }

  async #load() {
    const { path, before, state } = this.#file;
    const wanted = new URLSearchParams([["which", WHICH[state]], ["path", path], ...(before ? [["path", before]] : [])]);
    if (this.#told === null) this.#inside.replaceChildren(note("One moment…"));
    try {
      const told = await ask("GET", `${this.#route}/diff?${wanted}`);
      const now = JSON.stringify(told);
      if (now === this.#told) return;
      this.#told = now;
      this.#inside.replaceChildren(...shownDiff(told, `Changes of ${path}`));
    } catch (trouble) {
      if (this.#told === null) this.#inside.replaceChildren(failed(trouble, () => this.#load()));
    }
  }
}

/** What came and went, in numbers and lines. @param named whether each file is named above its lines */
export function shownDiff({ files, total, diff, cut }, label, named = false) {
  if (!files.length) return [note("There is no difference.")];
  const sum = (side) => files.reduce((all, file) => all + (file[side] ?? 0), 0);
  const binary = files.filter(({ added }) => added === null).length;
  const said = [total > 1 ? `${number(total)} files` : "", `${number(sum("added"))} ${sum("added") === 1 ? "line" : "lines"} added`, `${number(sum("removed"))} removed`, binary ? `${binary} binary` : ""];
  const parts = [element("p", { className: "count" }, said.filter(Boolean).join(", "))];
  if (diff) parts.push(diffLines(diff, label, { named }));
  if (cut) parts.push(note("This is the beginning: the whole of it is too long for this page."));
  return parts;
}
