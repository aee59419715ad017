// All devices of the tenant: who is there, what they are, what they wait for.

import { address, call } from "/web/api.js";
import { choice, element, field, gathered, keyed, plural, tag, time } from "/web/words.js";

const PAGE = 200;
const MOST = 5000;
const COLUMNS = ["Device", "State", "Personality", "Last seen", "Waiting", "Battery"];

export async function devices(place, context) {
  let found = [];
  let next = null;
  const group = choice([["", "All groups"]]);
  const search = element("input", { type: "search", autocomplete: "off", placeholder: "Part of a name" });
  const which = choice([["", "All"], ["online", "Online"], ["offline", "Offline"], ["behind", "Not as they should be"]]);
  const rows = element("tbody");
  const sum = element("p", { className: "count", role: "status" });
  const more = element("button", { type: "button", className: "quiet", hidden: true, onclick: () => load(true) }, "Show more");
  const table = element(
    "table",
    { className: "grid" },
    element("thead", {}, element("tr", {}, ...COLUMNS.map((name) => element("th", { scope: "col" }, name)))),
    rows,
  );
  const heading = element("div", { className: "heading" }, element("h2", {}, "Devices"));
  if (context.may("operator")) heading.append(element("a", { className: "strong", href: "#/enrol" }, "Enrol a device"));
  place.replaceChildren(
    heading,
    element("div", { className: "filters" }, field("Find", search), field("Group", group), field("Show", which)),
    sum,
    table,
    more,
  );

  async function load(further = false) {
    const wanted = further ? PAGE : Math.max(PAGE, found.length);
    let page = further ? [...found] : [];
    let after = further ? next : "";
    const until = page.length + wanted;
    do {
      const part = await call("GET", address("/devices", { group: group.value, after, limit: PAGE }));
      page = page.concat(part.items);
      after = part.next;
    } while (after && page.length < Math.min(search.value || which.value ? MOST : until, MOST));
    found = page;
    next = after;
    show();
  }

  async function loadGroups() {
    const { items } = await call("GET", "/groups?limit=500");
    const chosen = group.value;
    group.replaceChildren(...[["", "All groups"], ...items.map((each) => [each.name, `${each.name} (${each.devices})`])].map(([value, words]) => element("option", { value }, words)));
    group.value = items.some((each) => each.name === chosen) ? chosen : "";
  }

  function show() {
    const part = search.value.trim().toLowerCase();
    const chosen = found.filter((each) => each.name.toLowerCase().includes(part) && fits(each, which.value));
    const online = found.filter((each) => each.online).length;
    sum.textContent = found.length || part || which.value || group.value
      ? `${plural(found.length, "device")}${next ? " and more" : ""}, ${online} online${chosen.length < found.length ? `, ${chosen.length} shown` : ""}`
      : "No device is enrolled yet.";
    table.hidden = !chosen.length;
    more.hidden = !next;
    keyed(rows, chosen, (each) => each.id, row);
  }

  const again = gathered(() => load(), 500);
  search.oninput = gathered(() => load(), 200);
  which.onchange = group.onchange = () => load();
  await Promise.all([load(), loadGroups()]);
  const ticking = setInterval(show, 10_000); // the ages
  const KINDS = new Set(["online", "offline", "twin", "device", "enrolled", "command", "rollout"]);
  return {
    news: ({ kind }) => KINDS.has(kind) && again(),
    look: again,
    close: () => clearInterval(ticking),
  };
}

function fits(device, which) {
  if (which === "online") return device.online;
  if (which === "offline") return !device.online;
  return which !== "behind" || !device.twin.in_sync || Object.keys(device.twin.errors).length > 0;
}

function row(device, before) {
  const made = before ?? element("tr", {}, ...COLUMNS.map((name, at) => element(at ? "td" : "th", at ? { data: { label: name } } : { scope: "row" })));
  const [name, state, persona, seen, waiting, battery] = made.children;
  if (!name.firstChild) name.append(element("a", {}), element("span", { className: "groups" }));
  name.firstChild.textContent = device.name;
  name.firstChild.href = `#/device/${encodeURIComponent(device.id)}`;
  name.lastChild.textContent = device.groups.join(", ");
  state.replaceChildren(presence(device), ...behind(device));
  persona.replaceChildren(personality(device.twin));
  seen.replaceChildren(device.online ? "now" : time(device.last_seen_at));
  const stored = device.heartbeat?.stored;
  fill(waiting, [device.waiting ? plural(device.waiting, "command") : "", stored ? `${plural(stored, "event")} on it` : ""].filter(Boolean).join(", "));
  const percent = device.heartbeat?.battery_percent;
  fill(battery, typeof percent === "number" ? `${Math.round(percent)} %` : "");
  battery.classList.toggle("bad", typeof percent === "number" && percent < 20);
  return made;
}

function fill(cell, text) {
  cell.textContent = text || "–";
  cell.toggleAttribute("data-empty", !text);
}

/** A dot and a word: nobody has to tell colours apart. */
export function presence(device) {
  const word = device.online ? "Online" : "Offline";
  return element("span", { className: "chip", data: { state: device.online ? "good" : "off" } }, element("span", { className: "dot" }), word);
}

function behind(device) {
  const errors = Object.entries(device.twin.errors);
  if (errors.length) return [element("span", { className: "tag failed", title: errors.map(([part, why]) => `${part}: ${why}`).join("\n") }, "Problem")];
  return device.twin.in_sync ? [] : [tag("Catching up", "running")];
}

/** What it has, and what it should have when that is something else. */
export function personality(twin) {
  const has = twin.persona ?? "usual";
  const should = twin.desired_persona ?? "usual";
  if (twin.in_sync || has === should) return should === "usual" ? has : should;
  return `${has} → ${should}`;
}
