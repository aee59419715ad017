// The conversation as it happens: what was said, the reply as it grows, what was done, how long it took.

import { deed, duration, element, icon } from "../words.js";
import { Rating } from "./rating.js";

const NEAR_END_PX = 80;
const MOST_TURNS = 200;
const OUTCOMES = { ok: "done", started: "goes on in the background", error: "failed", denied: "not allowed", cancelled: "cut short" };

export class Transcript {
  #log = document.getElementById("log");
  #hello = document.getElementById("hello");
  #scroll = document.getElementById("scroll");
  #latest = document.getElementById("latest");
  #last = document.getElementById("last");
  #open = new Map();
  #ratings = new Map();
  #tell;
  #newest = { number: null, turn: null };

  /** @param tell takes what went wrong with a rating, in words */
  constructor(tell) {
    this.#tell = tell;
    this.#latest.addEventListener("click", () => this.#toEnd());
    this.#scroll.addEventListener("scroll", () => (this.#latest.hidden = this.#atEnd));
    const sizes = new ResizeObserver(() => this.#follow());
    sizes.observe(this.#scroll); // suggestions and tasks take room from it
    sizes.observe(this.#log); // ratings come late
  }

  get isEmpty() {
    return !this.#log.childElementCount;
  }

  /** What a chat socket tells. */
  told(event) {
    switch (event.type) {
      case "started":
        this.#newest = { number: event.turn, turn: this.#begin(event.text) };
        this.#open.set(event.turn, this.#newest.turn);
        break;
      case "delta":
        this.#turn(event.turn)?.grow(event.text);
        break;
      case "tool":
        this.#turn(event.turn)?.did(event);
        break;
      case "done":
        this.#turn(event.turn)?.end(event);
        this.#rate(this.#turn(event.turn), event.turn_id);
        this.#open.delete(event.turn);
        if (event.latency_ms !== undefined) {
          this.#last.textContent = `Answered in ${duration(event.latency_ms)}, done in ${duration(event.duration_ms)} (${event.brain})`;
        }
        break;
      case "error":
        if (event.id) return;
        (this.#turn(event.turn) ?? this.#begin("")).fail(event);
        this.#open.delete(event.turn);
        break;
      case "cut":
        if (event.turn === this.#newest.number) this.#newest.turn.cut(event.heard);
        break;
      case "announced":
        this.#add(element("li", { className: "told" }, event.text));
        break;
      case "missed":
        this.#add(element("li", { className: "told" }, `${event.count} messages came too fast and are not shown.`));
        break;
      default:
        return;
    }
    this.#follow();
  }

  /** The line went down: what was being answered won't be, on this line. */
  cut() {
    for (const turn of this.#open.values()) turn.fail({ message: "the connection was lost before the answer was complete", hint: "" });
    this.#open.clear();
  }

  /** Turns from before, as `/session/ID/history` has them. */
  recall(messages) {
    this.#log.replaceChildren();
    this.#ratings.clear();
    let turn = null;
    for (const message of messages) {
      if (message.role === "user") {
        turn = this.#begin(message.content);
        continue;
      }
      if (!turn) {
        this.#add(element("li", { className: "told" }, message.content));
        continue;
      }
      for (const call of message.tools ?? []) turn.did(call);
      turn.end({ reply: message.content, error: message.error && { message: message.error }, state: message.state });
      this.#rate(turn, message.turn_id);
      turn = null;
    }
    turn?.end({ reply: "" });
    this.#hello.hidden = !this.isEmpty;
    this.#toEnd();
  }

  /** What was said about a turn that is shown: `turn_id`, `reward` and `source`. */
  rated(feedback) {
    this.#ratings.get(feedback.turn_id)?.show(feedback);
  }

  clear() {
    this.#open.clear();
    this.#ratings.clear();
    this.#log.replaceChildren();
    this.#hello.hidden = false;
    this.#last.textContent = "\u00a0";
  }

  #turn(number) {
    return this.#open.get(number);
  }

  #rate(turn, id) {
    if (!turn || !id) return;
    const rating = new Rating(id, this.#tell);
    this.#ratings.set(id, rating);
    if (this.#ratings.size > MOST_TURNS) this.#ratings.delete(this.#ratings.keys().next().value);
    turn.rate(rating);
  }

  #begin(text) {
    const turn = new Turn(text);
    this.#add(turn.element);
    this.#toEnd();
    return turn;
  }

  #add(item) {
    this.#hello.hidden = true;
    this.#log.append(item);
    while (this.#log.childElementCount > MOST_TURNS) this.#log.firstElementChild.remove();
    this.#follow();
  }

  get #atEnd() {
    return this.#scroll.scrollHeight - this.#scroll.scrollTop - this.#scroll.clientHeight < NEAR_END_PX;
  }

  /** Who has scrolled back to read is left there. */
  #follow() {
    if (this.#latest.hidden) this.#toEnd();
  }

  #toEnd() {
    this.#scroll.scrollTop = this.#scroll.scrollHeight;
    this.#latest.hidden = true;
  }
}

class Turn {
  element = element("li", { className: "turn" });
  #reply = element("div", { className: "reply waiting" });
  #thinking = element("span", { className: "thinking" }, element("i"), element("i"), element("i"));
  #deeds = element("div", { className: "deeds" });
  #words = element("p", { className: "words" });
  #foot = element("div", { className: "foot" });

  constructor(said) {
    if (said) this.element.append(element("p", { className: "said" }, element("span", { className: "hidden" }, "You: "), said));
    this.#thinking.setAttribute("aria-hidden", "true");
    this.#reply.append(element("span", { className: "hidden" }, "Reachy: "), this.#words, this.#deeds, this.#thinking);
    this.element.append(this.#reply);
  }

  grow(text) {
    const gap = this.#words.textContent && !/\s$/.test(this.#words.textContent) && !/^\s/.test(text) ? " " : "";
    this.#words.append(gap + text);
  }

  did({ name, args, status, error }) {
    const chip = element("span", { className: "deed" }, icon(status), deed(name, args));
    chip.dataset.status = status;
    const why = error ? [error.message, error.hint].filter(Boolean).join(". ") : "";
    chip.append(element("span", { className: "hidden" }, `: ${OUTCOMES[status] ?? status}${why ? ` (${why})` : ""}`));
    chip.title = why;
    this.#deeds.append(chip);
  }

  end({ reply, tools = [], error, latency_ms: latency, state }) {
    for (const call of tools.slice(this.#deeds.childElementCount)) this.did(call); // what was cut short is told only now
    this.#thinking.remove();
    this.#reply.classList.remove("waiting");
    if (reply && this.#words.textContent.trim() !== reply.trim()) this.#words.textContent = reply;
    if (error) this.fail(error);
    else if (!reply && !this.#deeds.childElementCount) this.#words.textContent = state === "interrupted" ? "(cut short)" : "…";
    if (latency !== undefined) this.#foot.append(element("p", { className: "meta" }, duration(latency)));
    this.#reply.append(this.#foot);
  }

  rate(rating) {
    this.#foot.prepend(rating.element);
  }

  /** It was spoken, and not to its end. */
  cut(heard) {
    this.#reply.append(element("p", { className: "meta" }, heard ? `Cut short after “${heard}”` : "Cut short"));
  }

  fail({ message, hint }) {
    this.#thinking.remove();
    this.#reply.classList.remove("waiting");
    this.#reply.classList.add("failed");
    const trouble = element("p", { className: "trouble" }, sentence(message));
    if (hint) trouble.append(element("small", {}, sentence(hint)));
    this.#reply.append(trouble);
  }
}

const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");
