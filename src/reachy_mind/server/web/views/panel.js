// A panel: what views are made of. A heading, a sentence, and a place that says when it waits, when there is nothing and
// when something went wrong.

import { element } from "../words.js";

let last = 0;

/** An id that nothing else has: labels need them. */
export const fresh = (word) => `${word}-${(last += 1)}`;

export class Panel {
  #turn = 0;

  /** @param title heading @param lead a sentence for who sees it the first time */
  constructor(title, lead = "") {
    this.heading = element("h2", { tabIndex: -1 }, title);
    this.body = element("div", { className: "panel-body" });
    this.element = element("div", { className: "panel" }, this.heading);
    if (lead) this.element.append(element("p", { className: "lead" }, lead));
    this.element.append(this.body);
  }

  /** Shows what `load` gives by way of `show`; until then, that it waits; and in its place what went wrong. */
  async fill(load, show, place = this.body) {
    const turn = (this.#turn += 1);
    place.setAttribute("aria-busy", "true");
    const slow = setTimeout(() => place.childElementCount || place.replaceChildren(note("One moment…")), 250);
    try {
      const told = await load();
      if (turn === this.#turn) show(told);
    } catch (trouble) {
      if (turn === this.#turn) place.replaceChildren(failed(trouble, () => this.fill(load, show, place)));
    } finally {
      clearTimeout(slow);
      if (turn === this.#turn) place.removeAttribute("aria-busy");
    }
  }
}

/** A quiet sentence where a list would be. */
export function note(text, ...more) {
  return element("p", { className: "note" }, text, ...more);
}

/** A list of these, or a quiet sentence where there are none. */
export const list = (items, none, className = "rows") => (items.length ? element("ul", { className }, ...items) : note(none));

/** What went wrong, what to do, and a button to try again. */
export function failed(trouble, again) {
  const said = element("p", {}, `That did not work: ${trouble.message}.`);
  const box = element("div", { className: "failed" }, said);
  box.setAttribute("role", "alert");
  if (trouble.hint) box.append(element("p", {}, trouble.hint));
  if (again) box.append(button("Try again", again));
  return box;
}

export function button(text, act, kind = "quiet") {
  const made = element("button", { type: "button", className: kind, textContent: text });
  made.addEventListener("click", act);
  return made;
}

/** While `act` is under way its button can't be pressed again; what goes wrong is told by `tell`. Whether it went well. */
export async function during(pressed, tell, act) {
  pressed.disabled = true;
  try {
    await act();
    return true;
  } catch (trouble) {
    tell(trouble);
    return false;
  } finally {
    pressed.disabled = false;
  }
}

/** A labelled input: {box, input}. */
export function field(label, input, hint = "") {
  input.id ||= fresh("field");
  const said = element("label", { htmlFor: input.id }, label);
  const box = element("div", { className: "field" }, said, input);
  if (hint) {
    const small = element("small", { id: fresh("hint") }, hint);
    input.setAttribute("aria-describedby", small.id);
    box.append(small);
  }
  return box;
}

export function choice(options, chosen) {
  const made = element("select");
  for (const option of options) {
    const [value, text] = Array.isArray(option) ? option : [option, option];
    made.append(element("option", { value, textContent: text, selected: value === chosen }));
  }
  return made;
}

/** A line that opens: `fill` is called with the place for its content when it is first opened. */
export function opening(summary, fill) {
  const inside = element("div", { className: "inside" });
  const made = element("details", { className: "row" }, element("summary", {}, ...summary), inside);
  made.addEventListener("toggle", () => made.open && !inside.childElementCount && fill(inside));
  return made;
}

export const chip = (text, kind = "") => element("span", { className: `tag ${kind}` }, text);

/** "today 14:05", "3 May 14:05" */
export function moment(seconds) {
  const at = new Date(seconds * 1000);
  const today = at.toDateString() === new Date().toDateString();
  const clock = at.toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" });
  return `${today ? "today" : at.toLocaleDateString(undefined, { day: "numeric", month: "short" })} ${clock}`;
}

/** Calls `act` once nothing more has come for a moment: for boxes that are typed in. */
export function calmly(act, ms = 250) {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(act, ms);
  };
}
