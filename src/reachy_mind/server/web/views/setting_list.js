// Every setting: its value, where that is from, and whether a change shows at once or after the next start.

import { ask } from "../wire.js";
import { element } from "../words.js";
import { Filtered } from "./filtered.js";
import { Panel, choice } from "./panel.js";

const SELF = "mind.change_setting";

export class SettingList {
  name = "Settings";
  #notices;
  #panel = new Panel("Settings");
  #rows = new Filtered("camera, port, voice…", "No setting is like that.");

  constructor(notices) {
    this.#notices = notices;
    this.element = element("div", {}, this.#rows.element);
  }

  enter() {
    this.#panel.fill(() => ask("GET", "settings"), ({ settings }) => {
      this.#rows.show(settings.map((setting) => ({ group: setting.key.split(".")[0], words: `${setting.key} ${setting.about}`, element: this.#row(setting) })));
    }, this.#rows.list);
  }

  heard(event, shown) {
    if (shown && event.type === "ToolCalled" && event.tool === SELF && event.status === "ok") this.enter();
  }

  #row(setting) {
    const { key, about, origin, live, fixed } = setting;
    const from = origin === "default" ? "as it comes" : `from ${origin}`;
    const words = element("span", { className: "words" }, element("strong", {}, about), element("small", {}, `${key} · ${from}${live && !fixed ? " · changes at once" : ""}`));
    if (fixed) words.append(element("small", {}, `Not to be changed here: ${fixed}.`));
    if ("next" in setting) words.append(element("small", { className: "fix" }, `After the next start: ${shown(setting.next)}.`));
    const row = element("div", { className: "line" }, words, this.#control(setting));
    row.dataset.setting = key;
    return row;
  }

  #control(setting) {
    const { key, kind, choices, fixed } = setting;
    const value = "next" in setting ? setting.next : setting.value;
    if (fixed) return element("span", { className: "value" }, shown(value));
    const input = made(kind, choices, value);
    input.setAttribute("aria-label", setting.about);
    input.addEventListener("change", () => input.reportValidity() && this.#change(key, read(kind, input), input, setting));
    return input;
  }

  async #change(key, value, input, setting) {
    input.disabled = true;
    try {
      const { message } = await ask("PUT", "settings", { key, value });
      this.#notices.toast(message);
    } catch (trouble) {
      this.#notices.toast(`Not changed: ${trouble.message}`, 6000);
      input.replaceWith(this.#control(setting));
    }
    input.disabled = false;
  }
}

function made(kind, choices, value) {
  if (kind === "choice") return choice(choices, String(value));
  if (kind === "switch") return element("input", { type: "checkbox", checked: value === true });
  if (kind === "number") return element("input", { type: "number", step: "any", value: value ?? "" });
  return element("input", { type: "text", value: value ?? "" });
}

function read(kind, input) {
  if (kind === "switch") return input.checked;
  if (input.value === "") return null;
  return kind === "number" ? Number(input.value) : input.value;
}

const shown = (value) => (value === null || value === "" ? "nothing" : typeof value === "boolean" ? (value ? "on" : "off") : String(value));
