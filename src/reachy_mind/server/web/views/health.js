// Health: each part of the machine and of me, whether it is fine, and what to do where it is not.

import { ask } from "../wire.js";
import { element, icon } from "../words.js";
import { Panel, button, list } from "./panel.js";

export class Health {
  name = "Health";
  #panel = new Panel("Health");
  #sum = element("p", { className: "sum" });
  #list = element("div");
  #again = button("Check again", () => this.enter());

  constructor() {
    this.#sum.setAttribute("role", "status");
    this.element = element("div", {}, this.#sum, this.#list, element("p", { className: "buttons" }, this.#again));
  }

  enter() {
    this.#panel.fill(() => ask("GET", "doctor"), ({ healthy, checks }) => {
      const off = checks.filter((check) => !check.ok && check.optional).length;
      const wrong = checks.filter((check) => !check.ok && !check.optional).length;
      this.#sum.dataset.state = healthy ? "good" : "bad";
      this.#sum.textContent = healthy ? `All is well.${off ? ` ${off === 1 ? "One thing is" : `${off} things are`} missing that I can do without.` : ""}` : `${wrong === 1 ? "One thing needs" : `${wrong} things need`} mending.`;
      const order = (check) => (check.ok ? 2 : check.optional ? 1 : 0);
      this.#list.replaceChildren(list(checks.sort((one, other) => order(one) - order(other)).map(row), "There is nothing to check."));
    }, this.#list);
  }

  heard(event, shown) {
    if (shown && event.type === "LinkChanged") this.enter();
  }
}

function row({ name, ok, optional, detail, fix }) {
  const state = ok ? "ok" : optional ? "off" : "error";
  const mark = element("span", { className: `ended ${state}` }, icon(ok ? "ok" : optional ? "cancelled" : "error"), element("span", { className: "hidden" }, ok ? "fine: " : optional ? "missing: " : "wrong: "));
  const words = element("span", { className: "words" }, element("strong", {}, name.replace(/^./, (first) => first.toUpperCase())), element("small", {}, detail));
  if (!ok && fix) words.append(element("small", { className: "fix" }, `What to do: ${fix}`));
  return element("li", { className: "line" }, mark, words);
}
