// Questions to a person before something that matters is done: cards over everything, with what, why and how long.

import { element, shown, spoken } from "../words.js";

export const ARMED_AFTER_MS = 500;
const TICK_MS = 250;
const APPROVAL = "workshop.approve_tool";

export class Questions {
  #place = document.getElementById("questions");
  #alert = document.getElementById("alert");
  #cards = new Map();
  #answer;
  #clock;
  #title = document.title;
  #timer = 0;
  #cameFrom = null;
  #decided = new Map();

  /** @param answer takes (id, approve); false where it could not go out @param clock gives server seconds */
  constructor(answer, clock) {
    this.#answer = answer;
    this.#clock = clock;
  }

  /**
   * A person has pressed a button that asked all that the question of this call will ask: they are not asked twice.
   * It holds for this page, this call and these arguments. Call `forget` when the call has ended.
   */
  decide(callId, tool, args) {
    this.#decided.set(callId, { tool, args });
  }

  forget(callId) {
    this.#decided.delete(callId);
  }

  /** What a chat socket tells. */
  told(event) {
    if (event.type === "confirm") this.#decides(event) ? this.#answer(event.id, true) : this.#ask(event);
    else if (event.type === "answered") this.#close(event.id);
    else if (event.type === "error" && event.id) this.#close(event.id);
  }

  /** The line went down: what is still open, because somebody else can be asked, will be told again. */
  clear() {
    for (const id of [...this.#cards.keys()]) this.#close(id);
  }

  #decides({ call_id: callId, tool, arguments: args }) {
    const decided = this.#decided.get(callId);
    if (!decided) return false;
    this.#decided.delete(callId);
    return decided.tool === tool && Object.entries(decided.args).every(([name, value]) => JSON.stringify(args[name]) === JSON.stringify(value));
  }

  #ask(question) {
    if (this.#cards.has(question.id)) return;
    const card = new Card(question, (approve) => this.#answer(question.id, approve));
    if (!this.#cards.size) this.#cameFrom = document.activeElement;
    this.#cards.set(question.id, card);
    this.#place.append(card.element);
    this.#arm();
    this.#alert.textContent = `Reachy asks: may I ${spoken(question.tool)}? ${question.consequence ?? ""} Answer yes or no.`;
    document.title = `● May I? – ${this.#title}`;
    // Who is in the middle of typing keeps the cursor, so that no keystroke answers by mistake.
    if (!document.getElementById("say").value) card.element.focus();
    if (!this.#timer) this.#timer = setInterval(() => this.#tick(), TICK_MS);
    this.#tick();
  }

  /** A card that has just moved under the pointer must not be answered by a click meant for another. */
  #arm() {
    for (const card of this.#cards.values()) card.arm();
  }

  #tick() {
    const now = this.#clock() ?? Date.now() / 1000;
    for (const card of this.#cards.values()) card.tick(now);
  }

  #close(id) {
    const card = this.#cards.get(id);
    if (!card) return;
    const had = card.element.contains(document.activeElement);
    card.element.remove();
    this.#cards.delete(id);
    if (this.#cards.size) {
      this.#arm();
      if (had) this.#cards.values().next().value.element.focus();
      return;
    }
    clearInterval(this.#timer);
    this.#timer = 0;
    this.#alert.textContent = "";
    document.title = this.#title;
    if (had) (this.#cameFrom?.isConnected ? this.#cameFrom : document.getElementById("say")).focus({ preventScroll: true });
  }
}

class Card {
  #question;
  #bar = element("div", { className: "left" });
  #left = element("small");
  #began = null;
  #yes = element("button", { type: "button", className: "yes", textContent: "Yes, do it", disabled: true });
  #answered = false;
  #arming = 0;

  constructor(question, answer) {
    this.#question = question;
    const yes = this.#yes;
    const no = element("button", { type: "button", className: "no", textContent: "No" });
    for (const [button, approve] of [[yes, true], [no, false]]) {
      button.addEventListener("click", () => {
        if (!answer(approve)) return;
        this.element.focus(); // a button that is disabled would lose the focus, and it could not be given back
        yes.disabled = no.disabled = this.#answered = true;
      });
    }
    const title = element("h2", { id: `ask-${question.id}` }, `May I ${spoken(question.tool)}?`);
    const told = element("p", { id: `about-${question.id}` }, question.consequence);
    this.element = element("div", { className: "question", tabIndex: -1 }, title, told);
    this.element.setAttribute("role", "alertdialog");
    this.element.setAttribute("aria-labelledby", title.id);
    this.element.setAttribute("aria-describedby", told.id);
    if (question.reason) this.element.append(element("p", { className: "why" }, `I ask because: ${question.reason}.`));
    this.element.append(this.#arguments());
    if (question.tool === APPROVAL) this.element.append(element("a", { href: `#/workshop/${encodeURIComponent(question.arguments.name)}` }, "Look at this tool first"));
    this.element.append(this.#countdown(), element("div", { className: "answers" }, yes, no));
  }

  /** Yes can be said only after a moment. */
  arm() {
    clearTimeout(this.#arming);
    this.#yes.disabled = true;
    this.#arming = setTimeout(() => (this.#yes.disabled = this.#answered), ARMED_AFTER_MS);
  }

  #arguments() {
    const rows = Object.entries(this.#question.arguments ?? {});
    const caption = element("caption", {}, element("code", {}, this.#question.tool), rows.length ? " with" : ", with nothing said about how");
    const table = element("table", {}, caption);
    for (const [name, value] of rows) {
      const head = element("th", { scope: "row" }, name.replaceAll("_", " "));
      table.append(element("tr", {}, head, element("td", {}, shown(value))));
    }
    return table;
  }

  #countdown() {
    return element("div", { className: "clock" }, element("div", { className: "track", ariaHidden: "true" }, this.#bar), this.#left);
  }

  tick(now) {
    const left = Math.max(0, this.#question.expires_at - now);
    this.#began ??= Math.max(left, 1);
    this.#bar.style.transform = `scaleX(${Math.min(1, left / this.#began)})`;
    const words = left > 0 ? `${Math.ceil(left)} s left; no answer means no` : "Time is over: no";
    if (this.#left.textContent !== words) this.#left.textContent = words;
  }
}
