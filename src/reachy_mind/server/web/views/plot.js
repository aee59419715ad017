// A move as curves over time: head, body and antennas in degrees.

import { element } from "../words.js";

const WIDTH = 560;
const HEIGHT = 150;
const SPACE = "http://www.w3.org/2000/svg";
const CURVES = [
  ["yaw", "Head left and right"],
  ["pitch", "Head up and down"],
  ["roll", "Head tilted"],
  ["body_yaw", "Body"],
  ["antenna_left", "Left antenna"],
  ["antenna_right", "Right antenna"],
];
const LEAST = 5;

/** @param move {duration_s, times, axes} as the server tells of it */
export function plot({ duration_s: duration, times, axes }) {
  const curves = CURVES.filter(([axis]) => Math.max(...axes[axis]) - Math.min(...axes[axis]) > 1);
  const shown = curves.length ? curves : CURVES.slice(0, 1);
  const values = shown.flatMap(([axis]) => axes[axis]);
  const high = Math.max(LEAST, ...values);
  const low = Math.min(-LEAST, ...values);
  const x = (at) => (at / Math.max(duration, 0.01)) * WIDTH;
  const y = (degrees) => ((high - degrees) / (high - low)) * HEIGHT;
  const picture = drawn("svg", { viewBox: `-2 -4 ${WIDTH + 4} ${HEIGHT + 8}`, class: "curves", role: "img", preserveAspectRatio: "none" });
  picture.setAttribute("aria-label", told(duration, shown, axes));
  picture.append(drawn("path", { class: "zero", d: `M0 ${y(0)}H${WIDTH}` }));
  for (const [axis] of shown) {
    const points = axes[axis].map((degrees, index) => `${x(times[index]).toFixed(1)} ${y(degrees).toFixed(1)}`);
    picture.append(drawn("path", { class: `curve ${axis}`, d: `M${points.join("L")}` }));
  }
  const scale = element("p", { className: "scale" }, element("span", {}, `${Math.round(low)}° to ${Math.round(high)}°`), element("span", {}, `${duration.toFixed(1)} s`));
  const keys = element("ul", { className: "keys" }, ...shown.map(([axis, name]) => element("li", { className: axis }, name)));
  return element("figure", { className: "plot" }, picture, scale, keys);
}

function told(duration, shown, axes) {
  const parts = shown.map(([axis, name]) => `${name}: ${Math.round(Math.min(...axes[axis]))} to ${Math.round(Math.max(...axes[axis]))} degrees`);
  return `${duration.toFixed(1)} seconds. ${parts.join("; ")}.`;
}

function drawn(name, attributes) {
  const made = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}
