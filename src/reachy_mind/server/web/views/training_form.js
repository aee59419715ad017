// What to practise, and how: the form that begins a training run.

import { ask } from "../wire.js";
import { element } from "../words.js";
import { choice, during, failed, field, fresh } from "./panel.js";

const IMITATES = ["clone", "dagger", "gail"];
const TAUGHT_BY_PEOPLE = "look_at"; // the task that people's demonstrations can teach
const EXPERT = "The scripted expert";
const BODIES = [["", "Geometry alone: fast"], ["physics", "With physics: slow"]];

export class TrainingForm {
  #options = null;
  #began;
  #task = choice([], "");
  #algorithm = choice([], "");
  #episodes = number({ min: 1, max: 1_000_000 });
  #dataset = choice([["", EXPERT]], "");
  #human = element("input", { type: "checkbox" });
  #body = choice(BODIES, "");
  #randomised = element("input", { type: "checkbox" });
  #curriculum = element("input", { type: "checkbox" });
  #seed = number({ min: 0, max: 999_999, placeholder: "0" });
  #name = element("input", { type: "text", maxLength: 64, pattern: "[a-z0-9][a-z0-9_\\-]*", autocomplete: "off", spellcheck: false });
  #start = element("button", { type: "submit", className: "strong" }, "Start");
  #how = element("small");
  #imitated;
  #missing = element("div", { className: "problems", id: fresh("missing"), hidden: true });
  #trouble = element("div");

  /** @param began is called with the run that was begun */
  constructor(began) {
    this.#began = began;
    this.#imitated = field("Shown by", this.#dataset);
    const algorithm = field("How", this.#algorithm);
    algorithm.append(this.#how);
    const human = ticked("With me", this.#human, "I show you each episode, and wait for your praise or blame");
    const fields = element("div", { className: "fields" }, field("Task", this.#task), algorithm, field("Episodes", this.#episodes), this.#imitated, human);
    const more = element("div", { className: "fields" }, field("Robots that practise", this.#body), ticked("Robots that differ", this.#randomised, "Weak, strong, late and noisy ones: what is learned holds on more robots"), ticked("From easy to hard", this.#curriculum, "The next step comes when this one is mastered"), field("Seed", this.#seed, "the same one gives the same run"), field("Name", this.#name, "small letters, digits, - and _"));
    const open = element("details", { className: "more" }, element("summary", {}, "More"), more);
    this.element = element("form", {}, fields, open, this.#missing, element("p", { className: "buttons" }, this.#start), this.#trouble);
    this.#start.setAttribute("aria-describedby", this.#missing.id);
    for (const input of [this.#task, this.#algorithm]) input.addEventListener("input", () => this.#suit());
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#go();
    });
  }

  /** @param options as the server tells of them */
  show(options) {
    const before = this.#options;
    this.#options = options;
    this.#missing.hidden = options.available;
    const told = [element("p", {}, `I can't practise here: ${options.reason}.`), element("p", {}, "What to do: ", element("code", {}, options.hint))];
    this.#missing.replaceChildren(...(options.available ? [] : told)); // what describes a button is read aloud even when hidden
    this.#start.disabled = !options.available;
    offer(this.#dataset, [["", EXPERT], ...options.datasets.map((name) => [name, name])]);
    if (before) return;
    offer(this.#task, options.tasks.map(({ name, purpose }) => [name, sentence(purpose)]));
    offer(this.#algorithm, options.algorithms.map(({ name }) => [name, name]));
    this.#suit();
  }

  #suit() {
    const { purpose, episodes } = this.#options.algorithms.find(({ name }) => name === this.#algorithm.value);
    this.#how.textContent = sentence(purpose);
    this.#episodes.placeholder = String(episodes);
    this.#imitated.hidden = !IMITATES.includes(this.#algorithm.value) || this.#task.value !== TAUGHT_BY_PEOPLE;
    const practises = this.#algorithm.value !== "clone";
    for (const input of [this.#human, this.#curriculum]) {
      input.disabled = !practises;
      if (!practises) input.checked = false;
    }
  }

  #go() {
    const wanted = { task: this.#task.value, algorithm: this.#algorithm.value, human: this.#human.checked, randomised: this.#randomised.checked, curriculum: this.#curriculum.checked };
    if (this.#episodes.value) wanted.episodes = Number(this.#episodes.value);
    if (this.#seed.value) wanted.seed = Number(this.#seed.value);
    if (this.#body.value) wanted.body = this.#body.value;
    if (this.#name.value) wanted.name = this.#name.value;
    if (!this.#imitated.hidden && this.#dataset.value) wanted.demonstrations = this.#dataset.value;
    this.#trouble.replaceChildren();
    return during(this.#start, (trouble) => this.#trouble.replaceChildren(failed(trouble)), async () => {
      this.#began(await ask("POST", "training/start", wanted));
      this.#name.value = "";
    });
  }
}

const number = (how) => element("input", { type: "number", step: 1, inputMode: "numeric", ...how });

function ticked(label, input, hint) {
  const made = field(label, input, hint);
  made.classList.add("check");
  return made;
}

function offer(select, options) {
  const chosen = select.value;
  select.replaceChildren(...options.map(([value, textContent]) => element("option", { value, textContent })));
  if (options.some(([value]) => value === chosen)) select.value = chosen;
}

const sentence = (words) => words.charAt(0).toUpperCase() + words.slice(1);
