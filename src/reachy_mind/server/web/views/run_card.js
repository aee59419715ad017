// One training run: its state and progress, its curve, and what can be done with it. It is updated in place, so that
// nothing that is open or in use is lost.

import { Rating } from "../talk/rating.js";
import { ask } from "../wire.js";
import { element, spoken } from "../words.js";
import { LearningCurve, percent } from "./learning_curve.js";
import { button, chip, during, moment, note } from "./panel.js";
import { KINDS as TOOL_KINDS, STATES as TOOL_STATES } from "./tool_states.js";

export const UNDER_WAY = ["starting", "running", "waiting"];
const STATES = { new: "not begun", starting: "starting", running: "practising", waiting: "waits for you", interrupted: "interrupted", done: "done", failed: "failed", unreadable: "can't be read" };
const KINDS = { starting: "running", running: "running", waiting: "running", done: "done", failed: "failed", unreadable: "failed" };
const RESUMES = ["interrupted", "failed", "new"];
const SHOWS_FROM = "Watch: I show you each episode, then I ask you how it was.";

export class RunCard {
  #notices;
  #again;
  #name;
  #about = element("small");
  #state = element("span");
  #bar = element("progress", { max: 1 });
  #reason = element("p", { className: "reason" });
  #curve = new LearningCurve();
  #figures = element("dl", { className: "figures" });
  #verdict = element("div", { className: "verdict", hidden: true });
  #scene = element("p", { className: "scene" });
  #question = element("div"); // what it asks is said aloud by screen readers
  #answer = element("div", {}, note(SHOWS_FROM));
  #rated = "";
  #made = element("div", { className: "made" });
  #asked = "";
  #stop = button("Stop", () => this.#act(this.#stop, "Not stopped", "POST", "training/stop"));
  #resume = button("Go on", () => this.#act(this.#resume, "Not begun", "POST", "training/start", { name: this.#name }));
  #publish = button("Publish as a skill", () => this.#offer());
  #delete = button("Delete", () => this.#act(this.#delete, "Not deleted", "DELETE", `training/runs/${this.#name}`));

  /** @param again is called after something was changed */
  constructor(name, notices, again) {
    this.#notices = notices;
    this.#again = again;
    this.#name = name;
    this.#bar.setAttribute("aria-label", `Progress of ${name}`);
    const words = element("span", { className: "words" }, element("strong", {}, name), this.#about, this.#bar);
    const buttons = element("p", { className: "buttons" }, this.#stop, this.#resume, this.#publish, this.#delete);
    this.#question.setAttribute("role", "status");
    this.#verdict.append(this.#scene, this.#question, this.#answer);
    const inside = element("div", { className: "inside" }, this.#reason, this.#verdict, this.#curve.element, this.#figures, this.#made, buttons);
    this.element = element("details", { className: "row run" }, element("summary", {}, words, this.#state), inside);
    this.element.dataset.run = name;
  }

  /** @param run as the server tells of it */
  show(run) {
    const { task, algorithm, state, episode, episodes, curve } = run;
    const underWay = UNDER_WAY.includes(state);
    if (underWay && !UNDER_WAY.includes(this.element.dataset.state)) this.element.open = true;
    this.element.dataset.state = state;
    const what = [task?.replaceAll("_", " "), algorithm, run.human ? "with a person" : "", moment(run.updated_at)];
    said(this.#about, what.filter(Boolean).join(" · "));
    if (this.#state.textContent !== STATES[state]) this.#state.replaceWith((this.#state = chip(STATES[state] ?? state, KINDS[state] ?? "")));
    this.#bar.hidden = !underWay && state !== "interrupted";
    this.#bar.value = episodes ? episode / episodes : 0;
    said(this.#reason, state === "waiting" ? "" : run.reason);
    this.#reason.hidden = !this.#reason.textContent;
    this.#judge(run);
    this.#curve.element.hidden = state === "unreadable";
    this.#curve.show({ curve, episode, episodes });
    this.#tell(run);
    this.#stop.hidden = !underWay;
    this.#resume.hidden = !RESUMES.includes(state);
    this.#publish.hidden = underWay || !run.publishable;
    this.#delete.hidden = underWay;
    this.#list(run);
  }

  #tell({ success_rate: success, avg_reward: reward, violations, episode, episodes, curve, best_checkpoint: best }) {
    const told = [["Episodes", `${episode} of ${episodes}`]];
    if (success === null) told.push(["Success", "not evaluated yet"]);
    else told.push(["Success now", percent(success)], ["Reward", reward.toFixed(2)], ["Unsafe, corrected", percent(violations, 1)]);
    const at = Number(/\d+$/.exec(best ?? "")?.[0]); // a checkpoint's id ends with its episode
    const kept = curve.find(([point]) => point === at);
    if (kept) told.push(["Best, which is kept", `${percent(kept[1])} at ${at}`]);
    const now = JSON.stringify(told);
    if (now === this.#figures.dataset.told) return;
    this.#figures.dataset.told = now;
    this.#figures.replaceChildren(...told.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))));
  }

  /** Thumbs for the episode that was shown last; late feedback counts as well. */
  #judge({ state, human, task, scene, episode_id: episode }) {
    this.#verdict.hidden = !human || !UNDER_WAY.includes(state);
    if (this.#verdict.hidden) return;
    said(this.#scene, scene);
    this.#scene.hidden = !scene;
    if (!episode || episode === this.#rated) return;
    this.#rated = episode;
    const number = Number(episode.split(":").at(-1)) + 1;
    const rating = new Rating(episode, (text) => this.#notices.toast(text, 6000));
    const more = task === "look_at" ? " Showing me how, under Demonstrations, counts too." : "";
    this.#question.replaceChildren(element("h4", {}, `How was episode ${number}?`));
    this.#answer.replaceChildren(rating.element, element("p", { className: "count" }, `After half a minute I go on without it.${more}`));
  }

  /** The tools that were made of it; they are asked for again when it has changed. */
  async #list({ publishable, updated_at: at }) {
    const asked = publishable ? String(at) : "";
    if (asked === this.#asked) return;
    this.#asked = asked;
    if (!asked) return this.#made.replaceChildren();
    try {
      const { skills } = await ask("GET", `training/runs/${this.#name}`);
      this.#made.replaceChildren(...skills.map((skill) => made(skill)));
    } catch {
      this.#asked = ""; // the line is down, or the run is gone: the next look at the runs tells
    }
  }

  /** What was made of it may have changed elsewhere. */
  stale() {
    this.#asked = "";
  }

  async #offer() {
    const before = this.#publish.textContent;
    this.#publish.textContent = "Trying it in simulation…";
    await this.#act(this.#publish, "Not published", "POST", `training/runs/${this.#name}/publish`, {});
    this.#publish.textContent = before;
  }

  #act(pressed, failing, ...request) {
    return during(pressed, (trouble) => this.#notices.toast([`${failing}: ${trouble.message}.`, trouble.hint].filter(Boolean).join(" "), 8000), async () => {
      const { message } = await ask(...request);
      this.#notices.toast(message, 5000);
      this.#asked = "";
      this.#again();
    });
  }
}

/** A skill that a run became, as a way to where it is judged. */
function made({ name, version, state }) {
  const words = element("span", {}, `${spoken(name)}, version ${version}`);
  const link = element("a", { href: `#/workshop/${encodeURIComponent(name)}` }, words, chip(TOOL_STATES[state], TOOL_KINDS[state]));
  link.dataset.skill = name;
  return link;
}

function said(place, text) {
  if (place.textContent !== text) place.textContent = text;
}
