// Rows that are updated in place, each by its key: what is open, half read or in use stays as it is.

import { element } from "../words.js";
import { note } from "./panel.js";

export class KeyedRows {
  #make;
  #none;
  #list;
  #rows = new Map();
  element = element("div");

  /** @param make for a key that is new: {element, show(told)} @param none what is said without any row */
  constructor(make, none, name = "div") {
    this.#make = make;
    this.#none = note(none);
    this.#list = element(name, { className: "rows" });
  }

  /** @param entries [[key, told]] in order */
  show(entries) {
    const before = this.#rows;
    this.#rows = new Map(entries.map(([key, told]) => [key, before.get(key) ?? this.#make(told)]));
    for (const [key, told] of entries) this.#rows.get(key).show(told);
    const wanted = this.all.map((row) => row.element);
    for (const child of [...this.#list.children]) if (!wanted.includes(child)) child.remove();
    wanted.forEach((row, index) => {
      if (this.#list.children[index] !== row) this.#list.insertBefore(row, this.#list.children[index] ?? null);
    });
    const shown = wanted.length ? this.#list : this.#none; // where there was a list, what went wrong may be told now
    if (this.element.firstElementChild !== shown) this.element.replaceChildren(shown);
  }

  get(key) {
    return this.#rows.get(key);
  }

  get all() {
    return [...this.#rows.values()];
  }
}
