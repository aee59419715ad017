// Emergencies that were: who pressed, whom it was told, who answered.

import { address, call } from "/web/api.js";
import { attempt, button, choice, clock, element, facts, field, gathered, keyed, tag, time } from "/web/words.js";

const STATES = { open: "failed", acknowledged: "running", closed: "done" };

export async function emergencies(place, context) {
  const which = choice([["", "All"], ["open", "Open"], ["acknowledged", "Acknowledged"], ["closed", "Closed"]]);
  const list = element("ul", { className: "rows" });
  const none = element("p", { className: "note" }, "There was none.");
  const more = button("Show more", () => load(true));
  place.replaceChildren(
    element("div", { className: "heading" }, element("h2", {}, "Emergencies")),
    element("p", { className: "lead" }, "An alarm of a companion is an additional help. It does not replace a certified emergency call."),
    element("div", { className: "filters" }, field("Show", which)),
    list,
    none,
    more,
  );
  if (context.may("operator")) place.append(testing());
  let shown = [];
  let next = null;

  async function load(further = false) {
    const page = await call("GET", address("/emergencies", { state: which.value, limit: 20, before: further ? next : "" }));
    shown = further ? [...shown, ...page.items] : page.items;
    next = page.next;
    none.hidden = shown.length > 0;
    more.hidden = next === null;
    keyed(list, shown, (each) => each.id, (each, before) => row(each, before, context));
  }
  which.onchange = () => load();
  await load();
  const again = gathered(() => load());
  return { news: ({ kind }) => kind === "emergency" && again(), look: again };
}

function row(each, before, context) {
  const made = before ?? element("li", {}, element("details", { className: "row" }));
  const state = JSON.stringify([each.state, each.presses, each.note, each.level]);
  if (made.dataset.state === state) return made;
  made.dataset.state = state;
  const inside = element("div", { className: "inside" });
  const details = made.firstChild;
  details.replaceChildren(
    element(
      "summary",
      {},
      element("span", { className: "words" }, element("strong", {}, each.device_name), element("small", {}, each.message || "Somebody pressed for help", ", ", time(each.received_at))),
      each.test ? tag("TEST") : null,
      tag(each.state, STATES[each.state]),
    ),
    inside,
  );
  details.ontoggle = () => details.open && attempt(inside, () => tell(each.id, inside, context));
  if (details.open) details.ontoggle();
  return made;
}

async function tell(id, place, context) {
  const each = await call("GET", `/emergencies/${encodeURIComponent(id)}`);
  place.replaceChildren(
    facts([
      ["Pressed", `${clock(each.received_at)}${each.presses > 1 ? `, ${each.presses} times, last ${clock(each.last_press_at)}` : ""}`],
      ["Device's clock", Math.abs(each.pressed_at - each.received_at) > 60_000 ? clock(each.pressed_at) : ""],
      ["Message", each.message],
      ["Note", each.note],
      ["Acknowledged", each.acked_by ? `by ${each.acked_by}, ${clock(each.acked_at)}` : ""],
      ["Closed", each.closed_by ? `by ${each.closed_by}, ${clock(each.closed_at)}` : ""],
    ]),
    element("h4", {}, "Whom it was told"),
    element("ul", { className: "rows" }, ...each.notices.map((notice) => element(
      "li",
      { className: "line" },
      element("span", { className: "words" }, element("strong", {}, `${notice.channel}: ${notice.target}`), element("small", {}, notice.outcome)),
      element("small", {}, clock(notice.at)),
    ))),
  );
  if (each.state === "acknowledged" && context.may("operator")) {
    place.append(element("div", { className: "buttons" }, button("It is over: close it", () => attempt(place, () => call("POST", `/emergencies/${encodeURIComponent(id)}/close`)), "strong")));
  }
}

function testing() {
  const device = element("input", { required: true, autocomplete: "off", placeholder: "kitchen" });
  const form = element(
    "form",
    { className: "card" },
    element("h3", {}, "Test the alarm"),
    element("p", { className: "lead" }, "It goes through all channels, with the word TEST, until somebody acknowledges."),
    field("Device (name or id)", device),
    element("button", { type: "submit", className: "quiet" }, "Begin the test"),
  );
  form.onsubmit = (event) => {
    event.preventDefault();
    attempt(form, () => call("POST", "/emergencies/test", { device: device.value.trim() }));
  };
  return form;
}
