// One device: how it is, what it said, what it was told, and what people can do with it.

import { address, call } from "/web/api.js";
import { revocation, settings } from "/web/views/device_forms.js";
import { personality, presence } from "/web/views/devices.js";
import { attempt, button, element, facts, field, gathered, keyed, plural, tag, time, toast } from "/web/words.js";

const PAGE = 20;
const STATES = { waiting: "running", delivered: "running", done: "done", failed: "failed", expired: "failed", unsupported: "failed" };

export async function device(place, context, id) {
  const path = `/devices/${encodeURIComponent(id)}`;
  const title = element("h2");
  const state = element("span");
  const about = element("div");
  const actions = element("div");
  const commands = history("Commands", `${path}/commands`, (each) => each.id, command);
  const events = history("Events", "/events", (each) => each.id, event, { device: id });
  place.replaceChildren(
    element("p", {}, element("a", { href: "#/devices" }, "← All devices")),
    element("div", { className: "heading" }, title, state),
    about,
    actions,
    element("div", { className: "pair" }, events.place, commands.place),
  );

  async function load() {
    const found = await call("GET", path);
    title.textContent = found.name;
    state.replaceChildren(found.revoked_at ? tag("Revoked", "failed") : presence(found));
    about.replaceChildren(described(found));
    return found;
  }

  const found = await load();
  if (context.may("operator") && !found.revoked_at) {
    const twin = await call("GET", `${path}/twin`);
    actions.append(saying(path, found), settings(path, found, twin, load));
    if (context.may("admin")) actions.append(revocation(path, found, () => context.go("#/devices")));
  }
  await Promise.all([events.load(), commands.load()]);
  const again = gathered(() => Promise.all([load(), events.load(), commands.load()]), 400);
  return { news: (message) => message.device === found.id && again(), look: again };
}

function described(device) {
  const heart = device.heartbeat ?? {};
  const errors = Object.entries(device.twin.errors).map(([part, why]) => `${part}: ${why}`).join("; ");
  const temperature = typeof heart.temperature_c === "number" ? `${heart.temperature_c.toFixed(0)} °C` : "";
  const battery = typeof heart.battery_percent === "number" ? `${heart.battery_percent.toFixed(0)} %` : "";
  const offset = typeof heart.clock_offset_ms === "number" && Math.abs(heart.clock_offset_ms) > 2000 ? `wrong by ${(heart.clock_offset_ms / 1000).toFixed(0)} s` : "";
  return facts([
    ["Last seen", device.online ? "now" : time(device.last_seen_at)],
    ["Doing", heart.state],
    ["Personality", personality(device.twin)],
    ["State", device.twin.in_sync ? "as it should be" : "catching up with what was asked of it"],
    ["Problem", errors ? element("strong", { className: "bad" }, errors) : ""],
    ["Groups", device.groups.join(", ")],
    ["Waiting", plural(device.waiting, "command")],
    ["Stored on it", heart.stored ? plural(heart.stored, "event") : ""],
    ["Dropped by it", heart.dropped ? plural(heart.dropped, "event") : ""],
    ["Battery", battery],
    ["Temperature", temperature],
    ["Clock", offset],
    ["Program", device.agent],
    ["Connected", device.online ? element("span", {}, time(device.connected_at), ` by ${device.transport}, node ${device.node}`) : ""],
    ["Id", element("code", {}, device.id)],
  ]);
}

function saying(path, device) {
  const text = element("input", { maxLength: 4000, required: true, autocomplete: "off", placeholder: "Dinner is ready." });
  const send = (type, payload, told) => attempt(form, async () => {
    await call("POST", `${path}/commands`, { type, payload });
    text.value = "";
    toast(told);
  });
  const when = device.online ? "" : ", as soon as it connects";
  const form = element(
    "form",
    { className: "card" },
    element("h3", {}, "Say something"),
    field("Text", text),
    element(
      "div",
      { className: "buttons" },
      element("button", { type: "submit", className: "strong" }, "Say it"),
      button("Restart it", () => send("restart", {}, `${device.name} restarts${when}.`)),
      button("Test its alarm", () => attempt(form, () => call("POST", "/emergencies/test", { device: device.id }))),
    ),
  );
  form.onsubmit = (event) => {
    event.preventDefault();
    send("speak", { text: text.value }, `${device.name} says it${when}.`);
  };
  return form;
}

/** A list of what was, the latest first. */
function history(name, path, key, make, parameters = {}) {
  const list = element("ul", { className: "rows" });
  const none = element("p", { className: "note" }, "Nothing yet.");
  const more = button("Show more", () => load(true), "quiet small");
  const place = element("section", {}, element("h3", {}, name), list, none, more);
  let shown = [];
  let next = null;

  async function load(further = false) {
    const page = await call("GET", address(path, { ...parameters, limit: PAGE, before: further ? next : "" }));
    const old = further ? shown : shown.filter((each) => page.items.length && !page.items.some((one) => key(one) === key(each)));
    if (further || !shown.length || page.next === null) next = page.next;
    shown = further ? [...old, ...page.items] : [...page.items, ...old];
    keyed(list, shown, key, make);
    none.hidden = shown.length > 0;
    more.hidden = next === null;
  }
  return { place, load };
}

function event(each, before) {
  if (before) return before;
  const payload = Object.keys(each.payload).length ? JSON.stringify(each.payload) : "";
  const urgent = each.type.startsWith("emergency.") ? "failed" : "";
  return element(
    "li",
    { className: "line" },
    element("span", { className: "words" }, element("strong", {}, each.type.replace(".", " ")), element("small", {}, payload.slice(0, 300))),
    urgent ? tag("emergency", urgent) : null,
    element("small", {}, time(each.received_at)),
  );
}

function command(each) {
  return element(
    "li",
    { className: "line" },
    element("span", { className: "words" }, element("strong", {}, each.type.replace(".", " ")), element("small", {}, [`by ${each.created_by}`, each.error].filter(Boolean).join(": "))),
    tag(each.state, STATES[each.state]),
    element("small", {}, time(each.ts)),
  );
}
