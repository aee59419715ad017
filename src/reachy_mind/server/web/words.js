// Words for people: what a tool does, how long something took, a piece of the page.

/** A new element: `element("p", {className: "x"}, "text", child)`. Text is never taken for markup. */
export function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

const PLAINER = { teleoperate: "follow your hand", save_take: "keep a recorded move", create_tool: "make a tool", approve_tool: "use a new tool", retry_tool: "try a tool out", rollback_tool: "go back to an earlier version", start_training: "practise", stop_training: "stop practising", publish_training: "make a skill of what I practised", remove_training: "delete what I practised", begin_demonstration: "watch what you show me", keep_demonstration: "keep what you showed me", replay_demonstration: "do again what you showed me", trim_demonstration: "shorten what you showed me", remove_demonstration: "forget what you showed me" };

/** "robot.move_head" as "move head"; those of tasks have their noun first: "tasks.task_cancel" is "cancel task". */
export function spoken(tool) {
  const name = tool.split(".").at(-1);
  if (name in PLAINER) return PLAINER[name];
  const words = name.split("_");
  if (words[0] === "task") words.push(words.shift());
  return words.join(" ");
}

/** A value of an argument, short enough to read. */
export function shown(value) {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}

/** "move head left", "nod 2 times": a call in a few words. */
export function deed(tool, args = {}) {
  if (tool.startsWith("workshop.")) return [spoken(tool), args?.name].filter(Boolean).join(": ").replaceAll("_", " ");
  if (tool.startsWith("learning.")) return [spoken(tool), args?.task ?? args?.name].filter(Boolean).join(": ").replaceAll("_", " ");
  const told = Object.entries(args ?? {}).filter(([name, value]) => name !== "reins" && value !== null && value !== "random");
  const said = told.map(([name, value]) => {
    if (name === "times") return `${value}×`;
    if (typeof value === "string") return value.length > 40 ? `${value.slice(0, 40)}…` : value;
    if (value === true) return name.replaceAll("_", " ");
    return `${name.replaceAll("_", " ")} ${shown(value)}`;
  });
  return [spoken(tool), ...said].join(" ").slice(0, 90);
}

/** 3.4 ms, 820 ms, 2.1 s */
export function duration(ms) {
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return `${(ms / 1000).toFixed(1)} s`;
}

const PATHS = {
  ok: "M5 12.5 10 17.5 19.5 7",
  error: "M7 7l10 10M17 7 7 17",
  denied: "M6 6l12 12M12 3a9 9 0 1 0 .01 0",
  cancelled: "M6 12h12",
  started: "M12 6v6l4 3M12 3a9 9 0 1 0 .01 0",
};

/** A small drawing for how a call ended. */
export const icon = (status) => drawing(PATHS[status] ?? PATHS.cancelled);

/** A small drawing of lines. */
export function drawing(lines) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", lines);
  svg.append(path);
  return svg;
}
