// Many rows in groups, and a box that leaves only those with some words in them. Rows are hidden, not made anew: one may
// be open, with a form half filled in.

import { element } from "../words.js";
import { calmly, field, note } from "./panel.js";

export class Filtered {
  #query;
  #rows = [];
  #none;
  list = element("div", { className: "rows" });

  /** @param example what stands in the empty box @param none what is said when nothing fits */
  constructor(example, none) {
    this.#query = element("input", { type: "search", placeholder: example });
    this.#query.addEventListener("input", calmly(() => this.#sift(), 100));
    this.#none = note(none);
    this.element = element("div", {}, field("Search", this.#query), this.list);
  }

  /** @param rows [{group, words, element}] */
  show(rows) {
    this.#rows = rows;
    const groups = Map.groupBy(rows, ({ group }) => group);
    this.list.replaceChildren(
      this.#none,
      ...[...groups].map(([group, members]) => element("section", {}, element("h3", { className: "group" }, group), ...members.map((row) => row.element))),
    );
    this.#sift();
  }

  #sift() {
    const wanted = this.#query.value.toLowerCase().split(/\s+/);
    for (const { words, element: row } of this.#rows) row.hidden = !wanted.every((word) => words.toLowerCase().includes(word));
    for (const group of this.list.querySelectorAll("section")) group.hidden = !group.querySelector("h3 ~ :not([hidden])");
    this.#none.hidden = this.#rows.some(({ element: row }) => !row.hidden);
  }
}
