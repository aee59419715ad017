// All devices of the tenant: who is there, what they are, what they wait for. The server searches and pages.

import { address, call, now } from "/web/api.js";
import { attempt, button, choice, element, field, gathered, keyed, plural, tag, time, toast } from "/web/words.js";

const PAGE = 50;
const MOST_AT_ONCE = 500;
const COLUMNS = ["Device", "State", "Personality", "Problem", "Battery", "Temperature", "Waiting", "Last seen"];
const STATES = ["idle", "listening", "processing", "responding", "muted", "error", "emergency"];
const PROBLEMS = [["", "All"], ["any", "Any problem"], ["emergency", "Needs help"], ["error", "Error"], ["battery", "Low battery"], ["hot", "Too hot"], ["behind", "Not as it should be"]];
const LOW_BATTERY = 20;
const HOT = 80;
const RECENT_MS = 3_600_000;
const LONGEST_ERROR = 70;
// What changes the list. Single events do not: with thousands of devices there are always some.
const KINDS = new Set(["online", "offline", "twin", "device", "enrolled", "command", "rollout", "emergency"]);

/** What was looked for, kept while one looks at a device. */
const wanted = { search: "", group: "", state: "", persona: "", problem: "" };

export async function devices(place, context) {
  let found = [];
  let next = null;
  let asked = 0;
  const search = element("input", { type: "search", autocomplete: "off", placeholder: "Part of a name, or an id", value: wanted.search, maxLength: 64 });
  const group = choice([["", "All groups"]]);
  const state = choice([["", "All"], ["online", "Online"], ["offline", "Offline"], ...STATES.map((each) => [each, capital(each)])], wanted.state);
  const persona = choice([["", "All"]]);
  const problem = choice(PROBLEMS, wanted.problem);
  const controls = { search, group, state, persona, problem };
  const rows = element("tbody");
  const sum = element("div", { className: "sum", role: "status" });
  const none = element("p", { className: "note", hidden: true });
  const more = button("Show more", () => attempt(further, () => load(true)));
  const further = element("div", { className: "buttons" }, more);
  const table = element(
    "table",
    { className: "grid" },
    element("thead", {}, element("tr", {}, ...COLUMNS.map((name) => element("th", { scope: "col" }, name)))),
    rows,
  );
  const heading = element("div", { className: "heading" }, element("h2", {}, "Devices"));
  if (context.may("operator")) heading.append(element("a", { className: "strong", href: "#/enrol" }, "Enrol a device"));
  const telling = element("div");
  place.replaceChildren(
    heading,
    sum,
    element("div", { className: "filters" }, field("Find", search), field("Group", group), field("State", state), field("Personality", persona), field("Problem", problem)),
    telling,
    none,
    table,
    further,
  );

  async function load(further = false) {
    const turn = ++asked;
    const query = { ...wanted };
    let items = further ? [...found] : [];
    let after = further ? next : "";
    const most = items.length + (further ? PAGE : Math.max(PAGE, found.length));
    const [counts] = await Promise.all([
      call("GET", address("/device-counts", query)),
      (async () => {
        do {
          const part = await call("GET", address("/devices", { ...query, after, limit: Math.min(most - items.length, MOST_AT_ONCE) }));
          items = items.concat(part.items);
          after = part.next;
        } while (after && items.length < most);
      })(),
    ]);
    if (turn !== asked) return; // something else was looked for meanwhile
    found = items;
    next = after;
    tellCounts(counts);
    show();
  }

  function tellCounts(counts) {
    const filtered = Object.values(wanted).some(Boolean);
    const parts = [
      element("span", { className: "count" }, filtered ? `${plural(counts.devices, "device")} of these` : plural(counts.devices, "device")),
      element("span", { className: "count" }, `${counts.online} online`),
    ];
    if (counts.problems) parts.push(button(plural(counts.problems, "problem"), () => only("any"), "quiet small"));
    if (counts.emergencies) parts.push(button(plural(counts.emergencies, "needs help", "need help"), () => only("emergency"), "danger small"));
    for (const [name, count] of Object.entries(counts.states)) if (name && name !== "idle") parts.push(element("span", { className: "count" }, `${count} ${name}`));
    if (filtered) parts.push(button("Show all again", () => only(""), "quiet small"));
    sum.replaceChildren(...parts);
    none.textContent = filtered ? "No device fits." : "No device is enrolled yet.";
    none.hidden = counts.devices > 0;
    options(persona, [["", "All"], ...Object.entries(counts.personas).map(([name, count]) => [name, `${name === "-" ? "none" : name} (${count})`])], wanted.persona);
  }

  /** All devices with a problem, or with any state. */
  function only(which) {
    for (const [name, control] of Object.entries(controls)) control.value = wanted[name] = name === "problem" ? which : "";
    telling.replaceChildren();
    return attempt(further, () => load());
  }

  async function loadGroups() {
    const { items } = await call("GET", "/groups?limit=500");
    options(group, [["", "All groups"], ...items.map((each) => [each.name, `${each.name} (${each.devices})`])], wanted.group);
  }

  function show() {
    table.hidden = !found.length;
    more.hidden = !next;
    keyed(rows, found, (each) => each.id, row);
  }

  function look() {
    for (const [name, control] of Object.entries(controls)) wanted[name] = control.value.trim();
    found = [];
    return attempt(further, () => load());
  }

  const again = gathered(() => load(), 500);
  search.oninput = gathered(look, 250);
  state.onchange = persona.onchange = problem.onchange = look;
  group.onchange = () => {
    telling.replaceChildren(group.value && context.may("operator") ? groupForm(group.value) : "");
    look();
  };
  await Promise.all([load(), loadGroups()]);
  if (wanted.group && context.may("operator")) telling.replaceChildren(groupForm(wanted.group));
  const ticking = setInterval(show, 10_000); // the ages
  return {
    news(message) {
      const known = message.kind === "heartbeat" && found.find((each) => each.id === message.device);
      if (known) {
        known.heartbeat = { ...known.heartbeat, ...message.heartbeat };
        show();
      } else if (KINDS.has(message.kind)) again();
    },
    look: again,
    close: () => clearInterval(ticking),
  };
}

/** Says something with all devices of a group. */
function groupForm(group) {
  const text = element("input", { maxLength: 4000, required: true, autocomplete: "off", placeholder: "Coffee is ready." });
  const form = element(
    "form",
    {},
    field("Text", text),
    element("div", { className: "buttons" }, element("button", { type: "submit", className: "strong" }, "Say it"), button("Restart all of them", () => send("restart", {}))),
  );
  const send = (type, payload) => attempt(form, async () => {
    const told = await call("POST", `/groups/${encodeURIComponent(group)}/commands`, { type, payload });
    text.value = "";
    toast(`Sent to ${plural(told.queued, "device")}${told.refused ? `; ${told.refused} could not take it` : ""}.`);
  });
  form.onsubmit = (event) => {
    event.preventDefault();
    send("speak", { text: text.value });
  };
  return element("details", { className: "card" }, element("summary", {}, `Tell all of ${group}`), form);
}

function options(select, pairs, value) {
  const known = pairs.some(([of]) => of === value) ? pairs : [...pairs, [value, value]];
  if (select.matches(":focus") && select.options.length > 1) return; // it is open
  select.replaceChildren(...known.map(([of, words]) => element("option", { value: of, selected: of === value }, words)));
}

function row(device, before) {
  const made = before ?? element("tr", {}, ...COLUMNS.map((name, at) => element(at ? "td" : "th", at ? { data: { label: name } } : { scope: "row" })));
  const [name, state, persona, problem, battery, temperature, waiting, seen] = made.children;
  if (!name.firstChild) name.append(element("a", {}), element("span", { className: "groups" }));
  name.firstChild.textContent = device.name;
  name.firstChild.href = `#/device/${encodeURIComponent(device.id)}`;
  name.lastChild.textContent = device.groups.join(", ");
  state.replaceChildren(presence(device));
  persona.replaceChildren(personality(device.twin));
  const wrong = problems(device);
  problem.replaceChildren(...(wrong.length ? wrong : ["–"]));
  problem.toggleAttribute("data-empty", !wrong.length);
  const heart = device.heartbeat ?? {};
  fill(battery, percent(heart), isLow(heart));
  fill(temperature, degrees(heart), isHot(heart));
  fill(waiting, [device.waiting ? plural(device.waiting, "command") : "", heart.stored ? `${plural(heart.stored, "event")} on it` : ""].filter(Boolean).join(", "));
  seen.replaceChildren(device.online ? "now" : time(device.last_seen_at));
  return made;
}

function fill(cell, text, bad = false) {
  cell.textContent = text || "–";
  cell.toggleAttribute("data-empty", !text);
  cell.classList.toggle("bad", bad);
}

// A device without a battery says null, which is less than any number.
const isLow = (heart) => typeof heart.battery_percent === "number" && heart.battery_percent < LOW_BATTERY;
const isHot = (heart) => typeof heart.temperature_c === "number" && heart.temperature_c >= HOT;
export const percent = (heart) => (typeof heart.battery_percent === "number" ? `${Math.round(heart.battery_percent)} %` : "");
export const degrees = (heart) => (typeof heart.temperature_c === "number" ? `${Math.round(heart.temperature_c)} °C` : "");

function capital(word) {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** A dot and words: nobody has to tell colours apart. */
export function presence(device) {
  const state = device.online ? device.heartbeat?.state : "";
  const kind = !device.online ? "off" : state === "emergency" || state === "error" ? "bad" : "good";
  const made = element("span", { className: "chip", data: { state: kind } }, element("span", { className: "dot" }), device.online ? "Online" : "Offline");
  if (state) made.append(element("small", {}, state));
  return made;
}

/** Tags for what a person should look at. */
function problems(device) {
  const heart = device.heartbeat ?? {};
  const found = [];
  if (heart.state === "emergency") found.push(tag("Needs help", "failed"));
  const errors = Object.entries(device.twin.errors);
  if (errors.length) found.push(element("span", { className: "tag failed", title: errors.map(([part, why]) => `${part}: ${why}`).join("\n") }, "Can't apply it"));
  else if (!device.twin.in_sync) found.push(tag("Catching up", "running"));
  if (heart.state === "error") found.push(element("span", { className: "tag failed", title: device.error }, "Error"));
  if (isLow(heart)) found.push(tag("Low battery", "failed"));
  if (isHot(heart)) found.push(tag("Too hot", "failed"));
  if (device.error && now() - device.error_at < RECENT_MS) found.push(element("small", { title: device.error }, device.error.slice(0, LONGEST_ERROR)));
  return found;
}

/** What it has, and what it should have when that is something else. */
export function personality(twin) {
  const has = twin.persona ?? "usual";
  const should = twin.desired_persona ?? "usual";
  if (twin.in_sync || has === should) return should === "usual" ? has : should;
  return `${has} → ${should}`;
}
