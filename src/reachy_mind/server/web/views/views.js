// Which view is shown: the one that the address names after "#/", else the conversation. Each is made when it is first
// wanted. A view is an object with an `element`, and what it likes of: enter(), leave(), heard(event), connected().

import { drawing, element } from "../words.js";

export class Views {
  #list;
  #page;
  #room = document.querySelector(".room");
  #stage = document.querySelector(".stage");
  #talk = document.querySelector(".talk");
  #place = document.getElementById("view");
  #links = new Map();
  #made = new Map();
  #shown = null;

  /** @param list as VIEWS @param page what every view is given: notices, playback, questions, replay, stage */
  constructor(list, page) {
    this.#list = list;
    this.#page = page;
    document.getElementById("views").append(...list.map((view) => this.#link(view)));
    addEventListener("hashchange", () => this.#go());
    this.#go({ first: true });
  }

  get #wanted() {
    const [, id] = location.hash.match(/^#\/([a-z]+)/) ?? [];
    return this.#list.find((view) => view.id === id) ?? this.#list[0];
  }

  heard(event) {
    for (const { view } of this.#made.values()) view?.heard?.(event);
  }

  /** The line is up again: what was shown may be old. */
  connected() {
    this.#made.get(this.#shown)?.view?.connected?.();
  }

  #link({ id, name, icon }) {
    const link = element("a", { href: `#/${id}` }, drawing(icon), element("span", {}, name));
    this.#links.set(id, link);
    return element("li", {}, link);
  }

  async #go({ first = false } = {}) {
    const wanted = this.#wanted;
    if (wanted.id === this.#shown) return;
    this.#made.get(this.#shown)?.view?.leave?.();
    this.#shown = wanted.id;
    for (const [id, link] of this.#links) link.toggleAttribute("aria-current", id === wanted.id);
    this.#links.get(wanted.id).setAttribute("aria-current", "page");
    this.#links.get(wanted.id).scrollIntoView({ block: "nearest", inline: "nearest" });
    this.#room.dataset.view = wanted.id;
    this.#stage.hidden = !wanted.stage;
    this.#talk.hidden = Boolean(wanted.load);
    this.#place.hidden = !wanted.load;
    if (wanted.load) await this.#show(wanted, first);
    else if (!first && matchMedia("(hover: hover)").matches) document.getElementById("say").focus();
  }

  async #show(wanted, first) {
    this.#place.setAttribute("aria-label", wanted.name);
    const { view, made } = this.#made.get(wanted.id) ?? {};
    this.#place.replaceChildren(view ? view.element : element("p", { className: "waiting-note" }, "One moment…"));
    if (!view) await (made ?? this.#make(wanted));
    if (this.#shown !== wanted.id) return; // somebody went on meanwhile
    const ready = this.#made.get(wanted.id).view;
    if (!ready) return;
    this.#place.replaceChildren(ready.element);
    ready.enter?.();
    if (!first) ready.element.querySelector("h2")?.focus();
  }

  #make(wanted) {
    const making = { view: null };
    making.made = wanted.load().then(
      ({ default: Kind }) => (making.view = new Kind(this.#page)),
      () => {
        this.#made.set(wanted.id, { view: null }); // tried again when it is wanted again
        if (this.#shown === wanted.id) this.#place.replaceChildren(element("p", { className: "waiting-note" }, "This part of the page could not be loaded. Is reachy-mind still running?"));
      },
    );
    this.#made.set(wanted.id, making);
    return making.made;
  }
}
