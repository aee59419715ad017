// A learning curve: how many of the scenes that were never practised succeed, over the episodes of practice.

import { element } from "../words.js";

const SPACE = "http://www.w3.org/2000/svg";
const WIDTH = 600;
const HEIGHT = 160;
const LEVELS = [1, 0.5, 0];

export const percent = (share, digits = 0) => `${(100 * share).toFixed(digits)} %`;

export class LearningCurve {
  #picture = drawn("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", preserveAspectRatio: "none" });
  #episodes = element("p", { className: "across" });
  #told = "";

  constructor() {
    const levels = element("p", { className: "levels" }, ...LEVELS.map((level) => element("span", {}, percent(level))));
    levels.setAttribute("aria-hidden", "true");
    this.#episodes.setAttribute("aria-hidden", "true"); // the picture's name says it all
    const caption = element("figcaption", {}, "Success in scenes that were never practised");
    this.element = element("figure", { className: "learning-curve" }, caption, levels, this.#picture, this.#episodes);
  }

  /** @param run as the server tells of it: {curve: [[episode, success]], episode, episodes} */
  show({ curve, episode, episodes }) {
    const last = Math.max(episodes, curve.at(-1)?.[0] ?? 0, 1);
    const told = JSON.stringify([curve, episode, last]);
    if (told === this.#told) return;
    this.#told = told;
    const x = (at) => (WIDTH * at) / last;
    const y = (share) => HEIGHT * (1 - share);
    const points = curve.map(([at, share]) => `${x(at).toFixed(1)} ${y(share).toFixed(1)}`);
    const parts = LEVELS.map((level) => drawn("path", { class: "level", d: `M0 ${y(level)}H${WIDTH}` }));
    if (episode < last) parts.push(drawn("path", { class: "now", d: `M${x(Math.min(episode, last))} 0V${HEIGHT}` }));
    if (points.length > 1) {
      parts.push(drawn("path", { class: "area", d: `M${x(curve[0][0])} ${HEIGHT}L${points.join("L")}L${x(curve.at(-1)[0])} ${HEIGHT}Z` }));
      parts.push(drawn("path", { class: "line-of", d: `M${points.join("L")}` }));
    }
    parts.push(...points.map((point) => drawn("path", { class: "point", d: `M${point}h0` })));
    this.#picture.replaceChildren(...parts);
    this.#picture.setAttribute("aria-label", spelled(curve, episode, last));
    const ends = ["0", String(Math.round(last / 2)), last === 1 ? "1 episode" : `${last} episodes`];
    this.#episodes.replaceChildren(...ends.map((end) => element("span", {}, end)));
  }
}

function spelled(curve, episode, last) {
  const shown = curve.length > 12 ? curve.filter((_, index) => index % Math.ceil(curve.length / 12) === 0 || index === curve.length - 1) : curve;
  const points = shown.map(([at, share]) => `${percent(share)} after ${at}`);
  return `Learning curve, at episode ${episode} of ${last}. ${points.length ? `Success: ${points.join(", ")} episodes.` : "Not evaluated yet."}`;
}

function drawn(name, attributes) {
  const made = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}
