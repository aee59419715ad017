// How good was that? Three buttons and a slider beside a reply; what was recorded is shown, and can be changed.

import { ask } from "../wire.js";
import { drawing, element } from "../words.js";

const THUMB = "M7 11v9H4v-9zM7 11l4-8c1.6 0 2.5 1 2.2 2.6L12.6 9H19a1.8 1.8 0 0 1 1.7 2.2l-1.6 7a2.3 2.3 0 0 1-2.2 1.8H7";
const STAR = "M12 3.5l2.6 5.4 5.9.8-4.3 4.1 1 5.9-5.2-2.8-5.2 2.8 1-5.9-4.3-4.1 5.9-.8z";
const BUTTONS = [
  { button: "bad", name: "Bad", reward: -0.5, lines: THUMB },
  { button: "good", name: "Good", reward: 0.5, lines: THUMB },
  { button: "great", name: "Great", reward: 1, lines: STAR },
];
const GRADES = [[-0.7, "terrible"], [-0.35, "bad"], [-0.1, "not quite"], [0.1, "neutral"], [0.35, "fair"], [0.75, "good"], [2, "great"]];
const CALM_MS = 500; // of a slider that is moved by keys, only where it comes to rest counts

let permission = null;

/** Whether this login may give feedback; asked once. */
const mayRate = () => (permission ??= ask("GET", "me").then(({ scopes }) => scopes.includes("control") || scopes.includes("admin"), () => ((permission = null), false)));

/** A reward in a word: 0.5 is "good". */
export const grade = (reward) => GRADES.find(([most]) => reward < most)[1];

/** A reward as a number with its sign: "+0.5", "−0.25". */
export const signed = (reward) => `${reward > 0 ? "+" : reward < 0 ? "\u2212" : ""}${Number(Math.abs(reward).toFixed(2))}`;

export class Rating {
  element = element("div", { className: "rating", hidden: true });
  #turn;
  #tell;
  #buttons;
  #slider = element("input", { type: "range", min: -1, max: 1, step: 0.1, value: 0 });
  #said = element("output");
  #timer = 0;
  #asked = 0;
  #reward = null;

  /** @param turn the id of the turn @param tell takes what went wrong, in words */
  constructor(turn, tell) {
    this.#turn = turn;
    this.#tell = tell;
    this.#buttons = BUTTONS.map((each) => this.#button(each));
    this.#slider.setAttribute("aria-label", "Your rating, from \u22121 to 1");
    this.#slider.addEventListener("input", () => {
      this.#mark(Number(this.#slider.value));
      this.#said.textContent = this.#reading;
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#give({ rating: Number(this.#slider.value) }), CALM_MS);
    });
    this.element.setAttribute("role", "group");
    this.element.setAttribute("aria-label", "How good was that?");
    this.element.setAttribute("aria-live", "off"); // part of the conversation's log, and nothing that was said
    this.#said.setAttribute("aria-live", "polite");
    this.element.append(...this.#buttons, this.#slider, this.#said);
    mayRate().then((may) => (this.element.hidden = !may));
  }

  /** What was recorded about this turn, by this page or otherwise: a reward, and how it was found. */
  show({ reward, source }) {
    this.#reward = { reward, source };
    this.#mark(reward);
    this.#said.textContent = source === "button" || source === "rating" ? `Recorded: ${grade(reward)}` : `From your words: ${grade(reward)} (${signed(reward)})`;
  }

  get #reading() {
    const value = Number(this.#slider.value);
    return `${grade(value)} (${signed(value)})`;
  }

  #button({ button, name, reward, lines }) {
    const made = element("button", { type: "button", className: "rate", title: name }, drawing(lines));
    made.setAttribute("aria-label", name);
    made.setAttribute("aria-pressed", "false");
    Object.assign(made.dataset, { button, reward });
    made.addEventListener("click", () => {
      clearTimeout(this.#timer);
      this.#mark(reward);
      this.#give({ button });
    });
    return made;
  }

  #mark(reward) {
    this.element.classList.toggle("rated", reward !== null);
    this.#slider.value = reward ?? 0;
    this.#slider.setAttribute("aria-valuetext", reward === null ? "not rated" : this.#reading);
    for (const each of this.#buttons) each.setAttribute("aria-pressed", String(Number(each.dataset.reward) === reward));
  }

  async #give(given) {
    const asked = (this.#asked += 1);
    try {
      const { feedback } = await ask("POST", "feedback", { ...given, episode_id: this.#turn });
      if (asked === this.#asked) this.show(feedback);
    } catch (trouble) {
      if (asked !== this.#asked) return;
      this.#mark(this.#reward?.reward ?? null);
      if (this.#reward) this.show(this.#reward);
      else this.#said.textContent = "Not recorded";
      this.#tell(`Not recorded: ${trouble.message}. ${trouble.hint}`);
    }
  }
}
