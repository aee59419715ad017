// Rollouts: a personality for many devices, wave by wave, with a stop and a way back.

import { address, call } from "/web/api.js";
import { attempt, button, choice, element, field, gathered, keyed, plural, tag, time } from "/web/words.js";

const STATES = { running: "running", paused: "failed", done: "done", rolled_back: "" };
const PARTS = [
  ["applied", "have it"],
  ["sent", "were sent it"],
  ["failed", "failed"],
  ["replaced", "have something newer"],
  ["rolled_back", "went back"],
  ["waiting", "wait for their wave"],
];

export async function rollouts(place, context, chosen) {
  const list = element("ul", { className: "rows" });
  const none = element("p", { className: "note" }, "There was none yet.");
  const more = button("Show more", () => load(true));
  place.replaceChildren(element("div", { className: "heading" }, element("h2", {}, "Rollouts")));
  if (context.may("operator")) place.append(await beginning(chosen));
  place.append(list, none, more);
  let shown = [];
  let next = null;

  async function load(further = false) {
    const page = await call("GET", address("/rollouts", { limit: 20, before: further ? next : "" }));
    const old = shown.filter((each) => !page.items.some((one) => one.id === each.id));
    if (further || !shown.length) next = page.next;
    shown = further ? [...old, ...page.items] : [...page.items, ...old];
    none.hidden = shown.length > 0;
    more.hidden = next === null;
    keyed(list, shown, (each) => each.id, (each, before) => row(each, before, context));
  }
  await load();
  const again = gathered(load);
  return { news: ({ kind }) => (kind === "rollout" || kind === "twin") && again(), look: again };
}

async function beginning(chosen) {
  const [wanted = "", etag = ""] = chosen.split(" ");
  const [stored, groups] = await Promise.all([call("GET", "/personas?limit=500"), call("GET", "/groups?limit=500")]);
  const options = stored.items.map((each) => [each.id, each.id]);
  const which = choice(options.length ? options : [["", "Store a personality first"]], wanted || options[0]?.[0]);
  const to = choice([["all", "All devices"], ...groups.items.map((each) => [`group ${each.name}`, `${each.name} (${plural(each.devices, "device")})`])]);
  const wave = element("input", { type: "number", min: 1, max: 10_000, value: 10, required: true });
  const failures = element("input", { type: "number", min: 0, max: 10_000, value: 0, required: true });
  const message = element("input", { maxLength: 500, autocomplete: "off", placeholder: "Its greeting" });
  const version = element("p", { className: "count" });
  const tellVersion = () => (version.textContent = etag && which.value === wanted ? `Version ${etag.slice(0, 12)}` : "The latest version");
  which.onchange = tellVersion;
  tellVersion();
  const form = element(
    "form",
    { className: "card" },
    element("h3", {}, "Give devices a personality"),
    element(
      "div",
      { className: "filters" },
      field("Personality", which),
      field("Devices", to),
      field("At the same time", wave, "The others wait until these have reported"),
      field("Failures to allow", failures, "One more pauses it"),
      field("What each says then", message),
    ),
    version,
    element("button", { type: "submit", className: "strong" }, "Begin"),
  );
  form.onsubmit = (event) => {
    event.preventDefault();
    const target = to.value === "all" ? { all: true } : { group: to.value.slice("group ".length) };
    const exact = etag && which.value === wanted ? { etag } : {};
    const said = message.value.trim() ? { transition_message: message.value.trim() } : {};
    attempt(form, () => call("POST", "/rollouts", { persona: which.value, ...exact, ...said, ...target, wave_size: wave.valueAsNumber, max_failures: failures.valueAsNumber }));
  };
  const open = element("details", { className: "beginning", open: Boolean(wanted) }, element("summary", { className: "strong" }, "New rollout"), form);
  return open;
}

function row(rollout, before, context) {
  const made = before ?? element("li", { className: "rollout" });
  const state = JSON.stringify(rollout);
  if (made.dataset.state === state) return made;
  made.dataset.state = state;
  const { counts } = rollout;
  const total = PARTS.reduce((sum, [part]) => sum + counts[part], 0);
  const told = PARTS.filter(([part]) => counts[part]).map(([part, words]) => `${counts[part]} ${words}`);
  if (counts.offline) told.push(`${counts.offline} of those sent are offline and get it later`);
  const detail = made.querySelector(".inside") ?? element("div", { className: "inside", hidden: true });
  made.replaceChildren(
    element(
      "div",
      { className: "line" },
      element("span", { className: "words" }, element("strong", {}, rollout.persona), element("small", {}, `${plural(total, "device")}, wave ${rollout.wave} of ${rollout.waves}, by ${rollout.created_by}, `, time(rollout.created_at))),
      tag(rollout.state.replace("_", " "), STATES[rollout.state]),
    ),
    bar(counts, total, told.join(", ")),
    element("p", { className: "count" }, told.join(" · ")),
    rollout.reason ? element("p", { className: rollout.state === "paused" ? "bad" : "count" }, rollout.reason) : "",
    buttons(rollout, made, detail, context),
    detail,
  );
  return made;
}

function bar(counts, total, words) {
  const parts = PARTS.filter(([part]) => counts[part]).map(([part]) => {
    const piece = element("span", { data: { part } });
    piece.style.flexGrow = String(counts[part]); // set by script: the policy forbids style attributes in markup
    return piece;
  });
  return element("div", { className: "progress", role: "img", aria: { label: `${plural(total, "device")}: ${words}` } }, ...parts);
}

function buttons(rollout, place, detail, context) {
  const act = (name) => () => attempt(place, () => call("POST", `/rollouts/${rollout.id}/${name}`));
  const made = element("div", { className: "buttons" }, button("Devices", () => attempt(place, () => list(rollout, detail)), "quiet small"));
  if (!context.may("operator")) return made;
  if (rollout.state === "running") made.append(button("Pause", act("pause"), "quiet small"));
  if (rollout.state === "paused") made.append(button(rollout.counts.failed ? "Try again and go on" : "Go on", act("resume"), "quiet small"), button("Leave it so", act("end"), "quiet small"));
  if (rollout.state !== "rolled_back") made.append(button("Roll back", () => sure(place, rollout, act("rollback")), "quiet small"));
  return made;
}

/** Asks once more, in place. */
function sure(place, rollout, act) {
  place.querySelector(".sure")?.remove();
  const asked = element(
    "div",
    { className: "sure", role: "group" },
    element("p", {}, `Give every device that got ${rollout.persona} the personality it had before?`),
    element("div", { className: "buttons" }, button("Roll back now", act, "danger"), button("No", () => asked.remove())),
  );
  place.append(asked);
  asked.querySelector("button").focus();
}

async function list(rollout, detail) {
  detail.hidden = !detail.hidden;
  if (detail.hidden) return;
  const { items, next } = await call("GET", `/rollouts/${rollout.id}/devices?limit=500`);
  const worth = { failed: 0, sent: 1, waiting: 2 };
  items.sort((a, b) => (worth[a.state] ?? 9) - (worth[b.state] ?? 9));
  detail.replaceChildren(
    element("ul", { className: "rows" }, ...items.map((each) => element(
      "li",
      { className: "line" },
      element("span", { className: "words" }, element("a", { href: `#/device/${each.device}` }, each.name), element("small", {}, each.error)),
      tag(`wave ${each.wave}`),
      tag(each.state.replace("_", " "), { applied: "done", failed: "failed", sent: "running" }[each.state] ?? ""),
    ))),
    next ? element("p", { className: "note" }, "These are the first 500.") : "",
  );
}
