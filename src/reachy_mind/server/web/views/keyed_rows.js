// Rows that are updated in place, each by its key: what is open, half read or in use stays as it is.

import { element } from "../words.js";
import { note } from "./panel.js";

export class KeyedRows {
  #make;
  #none;
  #rows = new Map();

  /** @param make for a key that is new: {element, show(told)} @param none what is said without any row */
  constructor(make, none, name = "div") {
    this.#make = make;
    this.#none = note(none);
    this.element = element(name, { className: "rows" });
  }

  /** @param entries [[key, told]] in order */
  show(entries) {
    const before = this.#rows;
    this.#rows = new Map(entries.map(([key, told]) => [key, before.get(key) ?? this.#make(told)]));
    for (const [key, told] of entries) this.#rows.get(key).show(told);
    const wanted = this.#rows.size ? [...this.#rows.values()].map((row) => row.element) : [this.#none];
    for (const child of [...this.element.children]) if (!wanted.includes(child)) child.remove();
    wanted.forEach((row, index) => {
      if (this.element.children[index] !== row) this.element.insertBefore(row, this.element.children[index] ?? null);
    });
  }

  get(key) {
    return this.#rows.get(key);
  }

  get all() {
    return [...this.#rows.values()];
  }
}
