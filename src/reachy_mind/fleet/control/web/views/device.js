// One device: how it is, what it said, what it was told, and what people can do with it.

import { call } from "/web/api.js";
import { persona, revocation, sending, settings } from "/web/views/device_forms.js";
import { deviceLog } from "/web/views/device_log.js";
import { degrees, percent, personality, presence } from "/web/views/devices.js";
import { element, facts, gathered, plural, tag, time } from "/web/words.js";

export async function device(place, context, id) {
  const path = `/devices/${encodeURIComponent(id)}`;
  const title = element("h2");
  const state = element("span");
  const about = element("div");
  const actions = element("div");
  const forms = element("div");
  const log = deviceLog(path, id);
  place.replaceChildren(
    element("p", {}, element("a", { href: "#/devices" }, "← All devices")),
    element("div", { className: "heading" }, title, state),
    about,
    actions,
    log.place,
    forms,
  );

  let found = null;

  async function load() {
    found = await call("GET", path);
    show();
  }

  function show() {
    title.textContent = found.name;
    state.replaceChildren(found.revoked_at ? tag("Revoked", "failed") : presence(found));
    about.replaceChildren(described(found));
  }

  await load();
  if (context.may("operator") && !found.revoked_at) {
    const twin = await call("GET", `${path}/twin`);
    actions.append(element("div", { className: "pair" }, sending(path, found), persona(found, load)));
    forms.append(settings(path, found, twin, load));
    if (context.may("admin")) forms.append(revocation(path, found, () => context.go("#/devices")));
  }
  await log.load();
  const again = gathered(() => Promise.all([load(), log.load()]), 300);
  const ticking = setInterval(show, 10_000); // the ages
  return {
    news(message) {
      if (message.device !== found.id) return;
      if (message.kind !== "heartbeat") {
        again();
        return;
      }
      found.heartbeat = { ...found.heartbeat, ...message.heartbeat };
      show();
    },
    look: again,
    close: () => clearInterval(ticking),
  };
}

function described(device) {
  const heart = device.heartbeat ?? {};
  const errors = Object.entries(device.twin.errors).map(([part, why]) => `${part}: ${why}`).join("; ");
  const offset = typeof heart.clock_offset_ms === "number" && Math.abs(heart.clock_offset_ms) > 2000 ? `wrong by ${(heart.clock_offset_ms / 1000).toFixed(0)} s` : "";
  return facts([
    ["Last seen", device.online ? "now" : time(device.last_seen_at)],
    ["Doing", heart.state],
    ["Personality", personality(device.twin)],
    ["State", device.twin.in_sync ? "as it should be" : "catching up with what was asked of it"],
    ["Problem", errors ? element("strong", { className: "bad" }, errors) : ""],
    ["Last error", device.error ? element("span", {}, device.error, " (", time(device.error_at), ")") : ""],
    ["Groups", device.groups.join(", ")],
    ["Waiting", device.waiting ? plural(device.waiting, "command") : ""],
    ["Stored on it", heart.stored ? plural(heart.stored, "event") : ""],
    ["Dropped by it", heart.dropped ? plural(heart.dropped, "event") : ""],
    ["Battery", percent(heart)],
    ["Temperature", degrees(heart)],
    ["Clock", offset],
    ["Program", device.agent],
    ["Connected", device.online ? element("span", {}, time(device.connected_at), ` by ${device.transport}, node ${device.node}`) : ""],
    ["Id", element("code", {}, device.id)],
  ]);
}
