// Learning: what I learned from what was said about what I did, each with the words, and a way back.

import { grade, signed } from "../talk/rating.js";
import { ask } from "../wire.js";
import { deed, element } from "../words.js";
import { Panel, button, calmly, chip, choice, during, field, list, moment } from "./panel.js";

const PAGE = 25;
const EVERYBODY = "*";
const NOBODY = "People who have not said their name";
const LEAD = "Tell me what to do differently, as in “a bit lower”, “too fast” or “no, I meant dance”, or rate a reply. I keep it for the next time, and you can take it back.";
const FORGET = "Forget all of it";
const ASKED_MS = 6000;
const NONE_LEARNED = "Nothing yet. Ask me to look somewhere, then say “a bit more to the left”.";
const NONE_GIVEN = "Nothing yet. The thumbs under my replies are for that, and so are plain words.";

export default class Learning {
  #notices;
  #panel = new Panel("Learning", LEAD);
  #person = choice([[EVERYBODY, "Everybody"]], EVERYBODY);
  #lessons = element("div");
  #learned = element("p", { className: "count" });
  #feedback = element("div");
  #given = element("p", { className: "count" });
  #more = button("Older", () => this.#refresh(this.#shown + PAGE));
  #forget = button(FORGET, () => this.#forgetAll());
  #shown = PAGE;
  #soon = calmly(() => this.element.isConnected && this.#refresh(this.#shown), 150);

  constructor({ notices }) {
    this.#notices = notices;
    this.element = this.#panel.element;
    this.element.classList.add("learned");
    this.#person.addEventListener("input", () => this.#refresh());
    for (const count of [this.#learned, this.#given]) count.setAttribute("role", "status");
    const learned = element("section", {}, element("h3", {}, "What I learned"), this.#learned, this.#lessons, element("p", { className: "buttons" }, this.#forget));
    const given = element("section", {}, element("h3", {}, "What you thought of what I did"), this.#given, this.#feedback, element("p", { className: "buttons" }, this.#more));
    this.#panel.body.append(element("div", { className: "filters" }, field("Learned from", this.#person)), learned, given);
  }

  enter() {
    this.#refresh();
  }

  connected() {
    this.#refresh(this.#shown);
  }

  heard(event) {
    if (["FeedbackGiven", "LessonChanged", "Missed"].includes(event.type)) this.#soon();
  }

  #refresh(shown = PAGE) {
    this.#shown = shown;
    const who = this.#person.value === EVERYBODY ? {} : { person: this.#person.value };
    const load = () =>
      Promise.all([
        ask("GET", "people?limit=500").catch(() => ({ people: [] })), // without a memory nobody is known
        ask("GET", `lessons?${new URLSearchParams({ ...who, limit: 500 })}`),
        ask("GET", `feedback?${new URLSearchParams({ ...who, limit: Math.min(shown, 200) })}`),
      ]);
    return this.#panel.fill(load, ([{ people }, { lessons, total }, { feedback, total: given }]) => {
      this.#offer(people);
      const used = lessons.filter(({ undone }) => !undone).length;
      this.#learned.textContent = lessons.length ? `${used} in use${used < total ? `, ${total - used} taken back` : ""}` : "";
      const things = Map.groupBy(lessons, ({ person, explanation, undone }) => JSON.stringify([person, explanation, undone]));
      this.#lessons.replaceChildren(list([...things.values()].map((thing) => this.#thing(thing, people)), NONE_LEARNED));
      this.#forget.hidden = !lessons.length || this.#person.value === EVERYBODY;
      this.#given.textContent = given ? `The last ${feedback.length} of ${given}` : "";
      this.#feedback.replaceChildren(list(feedback.map((each) => said(each, people)), NONE_GIVEN));
      this.#more.hidden = feedback.length >= Math.min(given, 200);
    }, this.#lessons);
  }

  #offer(people) {
    const chosen = this.#person.value;
    const names = people.map(({ id, name }) => element("option", { value: id, textContent: name }));
    this.#person.replaceChildren(element("option", { value: EVERYBODY, textContent: "Everybody" }), ...names, element("option", { value: "", textContent: NOBODY }));
    this.#person.value = [...this.#person.options].some(({ value }) => value === chosen) ? chosen : EVERYBODY;
  }

  /** One thing that was learned, and each of the lessons that it comes from. */
  #thing(lessons, people) {
    const [{ explanation, undone }] = lessons;
    const thing = element("li", { className: "thing" }, element("strong", {}, explanation), ...lessons.map((lesson) => this.#lesson(lesson, people)));
    thing.classList.toggle("undone", undone);
    return thing;
  }

  #lesson({ id, at, person, explanation, words, undone }, people) {
    const from = words ? ["from ", element("q", {}, words), " · "] : [];
    const told = element("small", { className: "words" }, ...from, `${moment(at)}${named(person, people)}`);
    const act = button(undone ? "Learn it again" : "Undo", () => during(act, (trouble) => this.#notices.toast(`That did not work: ${trouble.message}`), async () => {
      await ask("POST", `lessons/${id}/${undone ? "redo" : "undo"}`);
      this.#notices.toast(undone ? "I use it again." : "Taken back: I no longer use it.");
    }), "quiet small");
    act.setAttribute("aria-label", `${act.textContent}: ${words || explanation}`);
    const row = element("div", { className: "line" }, told, ...(undone ? [chip("taken back")] : []), act);
    row.dataset.lesson = id;
    return row;
  }

  /** There is no way back: the first click only asks. */
  #forgetAll() {
    if (this.#forget.textContent === FORGET) {
      this.#forget.textContent = "Yes, forget it for good";
      setTimeout(() => (this.#forget.textContent = FORGET), ASKED_MS);
      return;
    }
    return during(this.#forget, (trouble) => this.#notices.toast(`Nothing was forgotten: ${trouble.message}`), async () => {
      const { message } = await ask("DELETE", `lessons?${new URLSearchParams({ person: this.#person.value })}`);
      this.#notices.toast(message);
    });
  }
}

/** " · Ada"; nothing for somebody who has not said their name. */
const named = (person, people) => (person ? ` · ${people.find(({ id }) => id === person)?.name ?? person}` : "");

function said({ id, at, person, text, reward, source, about }, people) {
  const rated = source === "button" || source === "rating";
  const words = text ? element("q", {}, text) : rated ? `Rated ${grade(reward)}` : grade(reward);
  const what = about.tool ? `${deed(about.tool, about.args)} · ` : "";
  const told = element("span", { className: "words" }, element("strong", {}, words), element("small", {}, `${what}${moment(at)}${named(person, people)}`));
  const mark = element("span", { className: `reward ${reward > 0.1 ? "up" : reward < -0.1 ? "down" : ""}` }, signed(reward));
  mark.title = grade(reward);
  const row = element("li", { className: "line" }, mark, told);
  row.dataset.feedback = id;
  return row;
}
