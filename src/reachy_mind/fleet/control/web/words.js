// Pieces of the page, and words for people. Whatever a device or a person wrote is text here, never markup.

import { now } from "/web/api.js";

/** A new element: `element("p", {className: "x"}, "text", child)`. Text is never taken for markup. */
export function element(name, properties = {}, ...children) {
  const { data = {}, aria = {}, ...own } = properties;
  const made = Object.assign(document.createElement(name), own);
  Object.assign(made.dataset, data);
  for (const [key, value] of Object.entries(aria)) made.setAttribute(`aria-${key}`, value);
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

export function button(text, act, className = "quiet") {
  return element("button", { type: "button", className, onclick: act }, text);
}

let fields = 0;

/** A labelled control, with a hint below it. */
export function field(label, control, hint = "") {
  control.id ||= `field-${++fields}`;
  const about = hint ? element("small", { id: `${control.id}-hint` }, hint) : null;
  if (about) control.setAttribute("aria-describedby", about.id);
  const check = control.type === "checkbox" ? " check" : "";
  return element("div", { className: `field${check}` }, element("label", { htmlFor: control.id }, label), control, about);
}

/** A select of `[value, words]`. */
export function choice(options, value) {
  return element("select", {}, ...options.map(([of, words]) => element("option", { value: of, selected: of === value }, words)));
}

/** Facts as a list of definitions: `[["Seen", "now"], ...]`; those without a value are left out. */
export function facts(pairs) {
  const shown = pairs.filter(([, value]) => value !== null && value !== undefined && value !== "");
  return element("dl", { className: "facts" }, ...shown.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))));
}

export function tag(text, kind = "") {
  return element("span", { className: `tag ${kind}` }, text);
}

/** "12 s ago", "3 min ago", "yesterday". */
export function ago(at) {
  if (!at) return "never";
  const seconds = Math.max(0, Math.round((now() - at) / 1000));
  if (seconds < 5) return "just now";
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`;
  const days = Math.floor(seconds / 86_400);
  return days === 1 ? "yesterday" : `${days} days ago`;
}

/** A time in full, as people here write it. */
export function clock(at) {
  return at ? new Date(at).toLocaleString([], { dateStyle: "medium", timeStyle: "medium" }) : "";
}

/** An age that has the time in full when one points at it. */
export function time(at) {
  return element("time", { dateTime: at ? new Date(at).toISOString() : "", title: clock(at) }, ago(at));
}

export function plural(count, one, many = `${one}s`) {
  return `${count} ${count === 1 ? one : many}`;
}

/** Something that people should read for some seconds. */
export function toast(text) {
  const made = element("p", { className: "toast" }, text);
  document.getElementById("toasts").append(made);
  setTimeout(() => made.remove(), 5000);
}

/** Do something for a button or form, and say below it what went wrong; whether it went well. */
export async function attempt(place, work) {
  const controls = [...place.querySelectorAll("button, input, select, textarea")].filter((each) => !each.disabled);
  const told = place.querySelector(".trouble") ?? element("p", { className: "trouble", role: "alert" });
  place.append(told);
  told.hidden = true;
  controls.forEach((each) => (each.disabled = true));
  try {
    await work();
    return true;
  } catch (error) {
    told.textContent = trouble(error);
    told.hidden = false;
    return false;
  } finally {
    controls.forEach((each) => (each.disabled = false));
  }
}

export function trouble(error) {
  if (error.code) return [error.message, error.hint].filter(Boolean).join(": ");
  return "The control plane does not answer. Try again.";
}

/** Calls `work` a moment after the first of many calls; never two at a time. */
export function gathered(work, delay = 300) {
  let timer = 0;
  let running = Promise.resolve();
  return () => {
    timer ||= setTimeout(() => {
      timer = 0;
      running = running.then(work).catch((error) => console.warn(error));
    }, delay);
  };
}

/** Shows `items` in `place`, and keeps the elements of those that stay, with the keyboard's focus in them. */
export function keyed(place, items, key, make) {
  const before = new Map([...place.children].map((child) => [child.dataset.key, child]));
  const wanted = items.map((item) => {
    const made = make(item, before.get(String(key(item))));
    made.dataset.key = key(item);
    return made;
  });
  const keep = new Set(wanted);
  for (const child of [...place.children]) if (!keep.has(child)) child.remove();
  wanted.forEach((child, at) => {
    if (place.children[at] !== child) place.insertBefore(child, place.children[at] ?? null);
  });
}
