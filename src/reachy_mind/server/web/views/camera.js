// The camera, large: the same picture as on the stage, with what is recognised drawn in and told in a list.

import { ask } from "../wire.js";
import { element } from "../words.js";
import { Panel, button, chip, during, list, note } from "./panel.js";

export default class Camera {
  #notices;
  #eye = document.getElementById("eye");
  #before = null;
  #panel = new Panel("What I see", "My camera, with faces and things that I recognise. Pictures stay on this machine.");
  #picture = element("div", { className: "camera-place" });
  #list = element("div");
  #switch = button("Switch the camera off", () => this.#turn(), "quiet");
  #follow = button("Follow people", () => this.#track(), "quiet");
  #told = "";

  constructor({ notices }) {
    this.#notices = notices;
    this.element = this.#panel.element;
    this.element.classList.add("wide");
    const buttons = element("p", { className: "buttons" }, this.#switch, this.#follow);
    this.#panel.body.append(element("div", { className: "camera" }, this.#picture, element("div", {}, element("h3", {}, "I recognise"), this.#list, buttons)));
    this.#list.append(note("Looking…"));
    this.#eye.addEventListener("seen", ({ detail }) => this.#show(detail));
  }

  enter() {
    this.#before = { next: this.#eye.nextSibling, parent: this.#eye.parentElement, folded: this.#eye.hasAttribute("data-folded") };
    this.#picture.append(this.#eye);
    this.#eye.removeAttribute("data-folded");
    this.#refresh();
  }

  leave() {
    const { next, parent, folded } = this.#before;
    parent.insertBefore(this.#eye, next);
    this.#eye.toggleAttribute("data-folded", folded);
  }

  connected() {
    this.#refresh();
  }

  heard(event) {
    if (event.type === "ToolCalled" && /set_camera|head_tracking/.test(event.tool)) this.#refresh();
  }

  async #refresh() {
    try {
      const { camera, following } = await ask("GET", "vision");
      this.#switch.textContent = camera === "off" ? "Switch the camera on" : "Switch the camera off";
      this.#switch.dataset.on = String(camera !== "off");
      this.#follow.setAttribute("aria-pressed", String(following));
      this.#follow.textContent = following ? "Following people" : "Follow people";
    } catch {
      // The picture itself says that the line is down.
    }
  }

  #show(seen) {
    const rows = seen && seen.camera === "open" ? [...seen.faces.map(face), ...seen.things.map(thing)] : [];
    const told = JSON.stringify([rows, seen?.camera, seen?.missing]);
    if (told === this.#told) return;
    this.#told = told;
    const none = seen && seen.camera !== "open" ? "No picture to look at." : "Nothing that I know is in the picture.";
    this.#list.replaceChildren(list(rows.map(row), none, "found"), ...(seen?.missing ?? []).map((what) => note(`Not looked for: ${what}`)));
  }

  #turn() {
    const enabled = this.#switch.dataset.on !== "true";
    this.#call(this.#switch, "perception.set_camera", { enabled });
  }

  #track() {
    this.#call(this.#follow, "robot.head_tracking", { enabled: this.#follow.getAttribute("aria-pressed") !== "true" });
  }

  #call(pressed, tool, parameters) {
    return during(pressed, (trouble) => this.#notices.toast(trouble.message), async () => {
      const { error } = await ask("POST", "tools/execute", { tool_name: tool, parameters });
      if (error) throw error;
      await this.#refresh();
    });
  }
}

const face = ({ followed, confidence }) => [followed ? "Face, followed" : "Face", confidence];
const thing = ({ name, confidence }) => [name, confidence];

function row([name, confidence]) {
  return element("li", {}, element("span", {}, name), chip(`${Math.round(confidence * 100)} %`));
}
