// The cases of a trial with their verdicts; each can be watched on the stage.

import { clock, told } from "../stage/replay.js";
import { ask } from "../wire.js";
import { element, icon } from "../words.js";
import { button, during, list, note, opening } from "./panel.js";

const VERDICTS = { pass: ["ok", "passed"], fail: ["error", "failed"], warn: ["cancelled", "a warning"] };
const ORIGINS = { given: "given", proposed: "proposed by its author", generated: "made from its parameters", edge: "an extreme value", fault: "something goes wrong" };
const FAULTS = { no_frame: "the camera gives no picture", link_lost: "the connection to the robot is lost", nobody_there: "nobody is there" };
const MOST_MARKS = 80;

export class TrialCases {
  #notices;
  #replay;
  #route = "";
  element = element("div");

  constructor(notices, replay) {
    this.#notices = notices;
    this.#replay = replay;
  }

  /** Shows the trial of a version; `route` is that of the version. */
  async show(route) {
    this.#route = route;
    try {
      const { cases } = await ask("GET", `${route}/replay`);
      if (route === this.#route) this.element.replaceChildren(list(cases.map((each, place) => this.#row(each, place)), "It was not tried here."));
    } catch (trouble) {
      if (route === this.#route) this.element.replaceChildren(note(`Its trial can't be shown: ${trouble.message}.`));
    }
  }

  #row(each, place) {
    const [mark, words] = VERDICTS[each.status] ?? VERDICTS.warn;
    const title = each.fault ? FAULTS[each.fault] : each.case;
    const about = [ORIGINS[each.origin] ?? "", each.fault ? each.case.split(";")[0] : "", seen(each.robot)].filter(Boolean).join(" · ");
    const said = element("span", { className: "words" }, element("strong", {}, title), element("small", {}, about));
    if (each.reason) said.append(element("small", { className: each.status === "fail" ? "bad" : "" }, each.reason));
    const ended = element("span", { className: `ended ${mark}` }, icon(mark), element("span", { className: "hidden" }, words));
    const row = opening([ended, said], (inside) => this.#happened(place, inside));
    const item = element("li", { className: "row-with case" }, row);
    item.dataset.case = place;
    if (each.duration_s === null) return item;
    const watch = button("Watch", () => this.#watch(place, title, watch), "quiet small");
    watch.setAttribute("aria-label", `Watch the replay: ${title}`);
    item.append(watch);
    return item;
  }

  #watch(place, title, pressed) {
    return during(pressed, (trouble) => this.#notices.toast(`No replay: ${trouble.message}`), async () => {
      this.#replay.open(title, await ask("GET", `${this.#route}/replay/${place}`));
      this.#replay.addEventListener("closed", ({ detail: had }) => had && pressed.isConnected && pressed.focus({ preventScroll: true }), { once: true });
    });
  }

  async #happened(place, inside) {
    try {
      const { marks, duration_s: duration, poses } = await ask("GET", `${this.#route}/replay/${place}`);
      const rows = merged(marks).slice(0, MOST_MARKS).map(({ t, words }) => element("li", {}, element("span", { className: "count" }, clock(t)), ` ${words}`));
      const moved = poses.length > 1 ? "" : " It did not move.";
      inside.replaceChildren(note(`It took ${clock(duration)} of simulated time.${moved}`), element("ol", { className: "marks" }, ...rows));
      if (merged(marks).length > MOST_MARKS) inside.append(note(`… and ${merged(marks).length - MOST_MARKS} more.`));
    } catch (trouble) {
      inside.replaceChildren(note(trouble.hint || trouble.message));
    }
  }
}

/** Marks of the same words that follow each other, as one. */
function merged(marks) {
  const rows = [];
  for (const mark of marks) {
    const words = told(mark);
    const last = rows.at(-1);
    if (last?.plain === words) {
      last.count += 1;
      last.words = `${words} (${last.count}×)`;
    } else rows.push({ t: mark.t, plain: words, words, count: 1 });
  }
  return rows;
}

/** What the host saw, in a few words. */
function seen(robot) {
  if (!robot) return "";
  const parts = [robot.moved ? "moved" : "", robot.photos ? `${robot.photos} photo${robot.photos > 1 ? "s" : ""}` : "", robot.sentences ? `said “${robot.words.slice(0, 60)}”` : "", robot.sounds ? "played a sound" : ""];
  return parts.filter(Boolean).join(", ");
}
