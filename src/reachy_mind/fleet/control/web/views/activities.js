// Activities of a group together: a story, music, exercise, dance: begun, followed, paused and ended.

import { address, call, now } from "/web/api.js";
import { activityForm } from "/web/views/activity_form.js";
import { attempt, button, element, gathered, keyed, plural, tag, time } from "/web/words.js";

const PAGE = 20;
const STATES = { preparing: "running", ready: "running", running: "done", paused: "running", ended: "" };
const NAMES = { story: "Story", music: "Music", exercise: "Exercise", dance: "Dance" };
const PARTS = [["playing", "take part"], ["ready", "are ready"], ["preparing", "get ready"], ["finished", "finished"], ["failed", "can't"], ["left", "left"]];

export async function activities(place, context) {
  const list = element("ul", { className: "rows" });
  const none = element("p", { className: "note" }, "There was none yet.");
  const further = element("div", { className: "buttons" });
  const more = button("Show more", () => attempt(further, () => load(true)));
  further.append(more);
  place.replaceChildren(
    element("div", { className: "heading" }, element("h2", {}, "Activities")),
    element("p", { className: "lead" }, "Several devices do the same thing at the same time. Each one gets ready first; then all begin together, and who comes late joins in."),
  );
  if (context.may("operator")) place.append(await activityForm());
  place.append(list, none, further);
  let shown = [];
  let next = null;

  async function load(older = false) {
    const page = await call("GET", address("/activities", { limit: Math.max(PAGE, older ? 0 : shown.length), before: older ? next : "" }));
    shown = older ? [...shown, ...page.items] : page.items;
    next = page.next;
    show();
  }

  function show() {
    none.hidden = shown.length > 0;
    more.hidden = next === null;
    keyed(list, shown, (each) => each.id, (each, before) => row(each, before, context));
  }
  await load();
  const again = gathered(() => load(), 300);
  const ticking = setInterval(() => shown.some((each) => each.state === "running") && show(), 1000);
  return {
    news: ({ kind }) => kind === "activity" && again(),
    look: again,
    close: () => clearInterval(ticking),
  };
}

function row(each, before, context) {
  const made = before ?? element("li", { className: "rollout" });
  const state = JSON.stringify(each);
  if (made.dataset.state !== state) fill(made, each, context);
  made.dataset.state = state;
  const position = Math.max(0, each.position_ms + (each.state === "running" && each.at ? now() - each.at : 0));
  const bar = made.querySelector(".progress span");
  if (bar) bar.style.flexBasis = `${Math.min(100, (100 * position) / each.duration_ms)}%`; // by script: the policy forbids style attributes
  const told = made.querySelector(".position");
  if (told) told.textContent = `${minutes(Math.min(position, each.duration_ms))} of ${minutes(each.duration_ms)}`;
  return made;
}

function fill(made, each, context) {
  const counts = PARTS.filter(([part]) => each.counts[part]).map(([part, words]) => `${each.counts[part]} ${words}`);
  const total = Object.values(each.counts).reduce((sum, count) => sum + count, 0);
  const detail = made.querySelector(".inside") ?? element("div", { className: "inside", hidden: true });
  const under = each.state === "running" || each.state === "paused";
  made.replaceChildren(
    element(
      "div",
      { className: "line" },
      element("span", { className: "words" }, element("strong", {}, NAMES[each.kind], each.group ? ` for ${each.group}` : ""), element("small", {}, `${plural(total, "device")}, by ${each.created_by}, `, time(each.created_at))),
      tag(each.state, STATES[each.state]),
    ),
    under && each.duration_ms ? element("div", { className: "progress single", aria: { hidden: "true" } }, element("span", { data: { part: "applied" } })) : "",
    under && each.duration_ms ? element("p", { className: "count position" }) : "",
    element("p", { className: "count" }, [...counts, each.reason].filter(Boolean).join(" · ")),
    buttons(each, made, detail, context),
    detail,
  );
  if (!detail.hidden) list(each, detail).catch((error) => console.warn(error));
}

function buttons(each, place, detail, context) {
  const act = (name) => () => attempt(place, () => call("POST", `/activities/${each.id}/${name}`));
  const made = element("div", { className: "buttons" }, button("Devices", () => {
    detail.hidden = !detail.hidden;
    if (!detail.hidden) attempt(place, () => list(each, detail));
  }, "quiet small"));
  if (!context.may("operator") || each.state === "ended") return made;
  if (each.state === "running") made.append(button("Pause", act("pause"), "quiet small"));
  if (each.state === "paused") made.append(button("Go on", act("resume"), "quiet small"));
  made.append(button("End it", act("end"), "quiet small"));
  return made;
}

async function list(each, place) {
  const { devices } = await call("GET", `/activities/${each.id}`);
  place.replaceChildren(element("ul", { className: "rows" }, ...devices.map((one) => element(
    "li",
    { className: "line" },
    element("span", { className: "words" }, element("a", { href: `#/device/${one.device}` }, one.name), element("small", {}, one.reason || (one.online ? "" : "offline"))),
    tag(one.state, { playing: "done", finished: "done", failed: "failed", preparing: "running", ready: "running" }[one.state] ?? ""),
  ))));
}

function minutes(ms) {
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
