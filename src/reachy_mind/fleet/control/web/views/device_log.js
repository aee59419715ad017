// The log of one device: its events and the commands for it, in one list by time, as they happen.

import { address, call } from "/web/api.js";
import { attempt, button, choice, element, field, keyed, tag, time } from "/web/words.js";

const PAGE = 25;
const STATES = { waiting: "running", delivered: "running", done: "done", failed: "failed", expired: "failed", unsupported: "failed" };
const LONGEST = 300;

/** One of the two lists on the server, the latest first. */
class Source {
  #path;
  #parameters;
  items = [];
  next = null;

  constructor(path, parameters = {}) {
    this.#path = path;
    this.#parameters = parameters;
  }

  /** Ask for the latest page, or for the one after those that are known. */
  async load(further = false) {
    const page = await call("GET", address(this.#path, { ...this.#parameters, limit: PAGE, before: further ? this.next : "" }));
    const known = new Set(page.items.map((each) => each.id));
    const overlaps = this.items.some((each) => known.has(each.id));
    const others = this.items.filter((each) => !known.has(each.id));
    // More than a page may have come since: then the list begins anew, so that it has no hole.
    const kept = further || overlaps || !page.items.length ? others : [];
    this.items = further ? [...kept, ...page.items] : [...page.items, ...kept];
    if (further || !kept.length) this.next = page.next;
  }
}

export function deviceLog(path, id) {
  const events = new Source("/events", { device: id });
  const commands = new Source(`${path}/commands`);
  const which = choice([["", "Events and commands"], ["event", "Events"], ["command", "Commands"]]);
  const list = element("ul", { className: "rows log" });
  const none = element("p", { className: "note" }, "Nothing yet.");
  const further = element("div", { className: "buttons" });
  const more = button("Show more", () => attempt(further, () => load(true)), "quiet small");
  further.append(more);
  const place = element("section", {}, element("div", { className: "heading" }, element("h3", {}, "Log"), field("Show", which)), list, none, further);
  which.onchange = show;

  async function load(older = false) {
    const wanted = older ? [oldest()] : [events, commands];
    await Promise.all(wanted.map((each) => each.load(older)));
    show();
  }

  /** The source whose known part ends first: below that the list would have holes. */
  function oldest() {
    const open = chosen().filter((each) => each.next !== null);
    return open.reduce((a, b) => (end(a) >= end(b) ? a : b), open[0] ?? events);
  }

  const end = (source) => (source.items.length ? at(source.items.at(-1)) : Infinity);
  const chosen = () => [["event", events], ["command", commands]].filter(([kind]) => !which.value || kind === which.value).map(([, source]) => source);

  function show() {
    const open = chosen().filter((each) => each.next !== null);
    const bound = Math.max(0, ...open.map(end).filter(Number.isFinite));
    const shown = chosen().flatMap((each) => each.items).filter((each) => at(each) >= bound).sort((a, b) => at(b) - at(a));
    keyed(list, shown, (each) => each.id, (each, before) => (each.state === undefined ? event(each, before) : command(each)));
    none.hidden = shown.length > 0;
    more.hidden = open.length === 0;
  }
  return { place, load };
}

const at = (each) => each.received_at ?? each.ts;

function event(each, before) {
  if (before) return before;
  const urgent = each.type.startsWith("emergency.") ? "failed" : "";
  return line(each, "by the device", "", urgent ? tag("emergency", urgent) : null);
}

function command(each) {
  return line(each, `by ${each.created_by}`, each.error, tag(each.state, STATES[each.state]));
}

function line(each, from, error, state) {
  return element(
    "li",
    { className: "line", data: { kind: each.state === undefined ? "event" : "command" } },
    element(
      "span",
      { className: "words" },
      element("strong", {}, each.type.replaceAll(".", " ")),
      element("small", {}, [said(each.payload), error].filter(Boolean).join(" – ")),
    ),
    state,
    element("small", {}, time(at(each)), element("br"), from),
  );
}

/** A payload in words: `button: green, press: single`. */
function said(payload) {
  const parts = Object.entries(payload).filter(([, value]) => value !== "" && value !== null);
  const text = parts.map(([key, value]) => `${key.replaceAll("_", " ")}: ${typeof value === "object" ? JSON.stringify(value) : value}`).join(", ");
  return text.length > LONGEST ? `${text.slice(0, LONGEST)} …` : text;
}
