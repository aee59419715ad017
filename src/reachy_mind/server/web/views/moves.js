// Moves: all there are, what they look like, playing them, and making one's own.

import { ask } from "../wire.js";
import { element } from "../words.js";
import { Panel, button, calmly, chip, choice, during, failed, field, note, opening } from "./panel.js";
import { plot } from "./plot.js";
import { Recorder } from "./recorder.js";

const MOST = 400;
const KINDS = [["", "All kinds"], ["emotion", "Emotions"], ["dance", "Dances"], ["gesture", "Gestures"], ["recorded", "Recorded"]];
const CHANGES = /^robot\.(save_take|record_move|remove_move)$/;

export default class Moves {
  #notices;
  #panel = new Panel("Moves", "Everything I can play. Open one to see it as curves.");
  #recorder;
  #query = element("input", { type: "search", placeholder: "happy, nod, twist…" });
  #kind = choice(KINDS, "");
  #list = element("div", { className: "rows" });
  #count = element("p", { className: "count" });

  constructor({ notices, stage }) {
    this.#notices = notices;
    this.#recorder = new Recorder(notices, stage);
    this.element = this.#panel.element;
    const again = calmly(() => this.#refresh());
    this.#query.addEventListener("input", again);
    this.#kind.addEventListener("input", again);
    this.#count.setAttribute("role", "status");
    const filters = element("div", { className: "filters" }, field("Search", this.#query), field("Kind", this.#kind));
    this.#panel.body.append(this.#recorder.element, filters, this.#count, this.#list);
  }

  enter() {
    this.#refresh();
  }

  leave() {
    this.#recorder.leave();
  }

  connected() {
    this.#refresh();
  }

  heard(event) {
    if (event.type === "ToolCalled" && event.status === "ok" && CHANGES.test(event.tool)) this.#refresh();
  }

  #refresh() {
    const wanted = new URLSearchParams({ query: this.#query.value, limit: MOST });
    if (this.#kind.value) wanted.set("kind", this.#kind.value);
    this.#panel.fill(() => ask("GET", `moves?${wanted}`), ({ moves, total }) => {
      moves.sort((one, other) => other.own - one.own); // one's own first; else as they come
      this.#count.textContent = total === 1 ? "1 move" : `${total} moves`;
      this.#list.replaceChildren(...(moves.length ? moves.map((move) => this.#row(move)) : [note("No move is like that.")]));
    }, this.#list);
  }

  #row(move) {
    const name = move.name.split("/").at(-1).replaceAll("_", " ");
    const play = button("Play", (event) => {
      event.preventDefault(); // the line it stands in would open
      this.#play(move, play);
    }, "quiet small");
    play.setAttribute("aria-label", `Play ${name}`);
    const words = element("span", { className: "words" }, element("strong", {}, name), element("small", {}, move.description || (move.own ? "Recorded here" : "Recorded")));
    const row = opening([words, chip(move.own ? "yours" : move.kind, move.own ? "own" : "")], (inside) => this.#look(move, inside));
    return element("div", { className: "row-with" }, row, play);
  }

  async #look(move, inside) {
    try {
      const told = await ask("GET", `moves/${encodeURIComponent(move.name)}/trajectory`);
      inside.replaceChildren(plot(told));
      if (told.sound) inside.append(note("It has a sound."));
    } catch (trouble) {
      inside.replaceChildren(failed(trouble, () => this.#look(move, inside)));
    }
    if (!move.own) return;
    const remove = button("Delete", () => during(remove, (trouble) => this.#notices.toast(`Not deleted: ${trouble.message}`), () => ask("DELETE", `moves/${encodeURIComponent(move.name)}`)));
    inside.append(element("p", { className: "buttons" }, remove));
  }

  #play(move, pressed) {
    return during(pressed, (trouble) => this.#notices.toast(`Not played: ${trouble.message}`), () => ask("POST", "moves/play", { name: move.name }));
  }
}
