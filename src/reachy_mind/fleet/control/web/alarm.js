// The alarm: over everything, with sound and in the title, until each open emergency is acknowledged.

import { address, call } from "/web/api.js";
import { Siren } from "/web/siren.js";
import { attempt, button, clock, element, field, keyed, plural, time, toast } from "/web/words.js";

const HIDDEN_MS = 30_000;
const SILENT_MS = 60_000;
const FLASH_MS = 900;
const TITLE = document.title;

export class Alarm {
  #place = document.getElementById("alarm");
  #said = document.getElementById("said");
  #sound = document.getElementById("sound");
  #me = null;
  #open = [];
  #presses = 0;
  #asked = 0;
  #answered = 0;
  #silentUntil = 0;
  #hiddenUntil = 0;
  #flash = 0;
  #cards = element("ul", { className: "alarms" });
  #heading = element("h2", { id: "alarm-title" });
  #small = element("button", { type: "button", className: "alarm-bar", hidden: true, onclick: () => this.#unhide() });
  #mute = element("p", {}, "There is no sound yet: click anywhere, or press a key.");
  #rest = document.querySelectorAll(".skip, .bar, .banner, .tabs, main");
  #siren = new Siren(() => this.#show());

  constructor() {
    const quiet = button("Silence for a minute", () => this.#beSilent());
    const hide = button("Show the page for half a minute", () => this.#hide());
    const dialog = element(
      "section",
      { className: "alarm-dialog", tabIndex: -1, role: "alertdialog", aria: { labelledby: "alarm-title" } },
      this.#heading,
      this.#mute,
      this.#cards,
      element("div", { className: "buttons" }, quiet, hide),
    );
    this.dialog = dialog;
    this.#place.append(dialog, this.#small);
    this.#sound.onclick = () => this.#siren.allow();
    setInterval(() => this.#show(), 1000);
  }

  /** Begin for somebody who has logged in; null: nobody is. */
  async begin(me) {
    this.#me = me;
    this.#open = [];
    this.#show();
    if (me) await this.look();
  }

  /** Ask which emergencies are open. Throws as `call` does. */
  async look() {
    if (!this.#me) return;
    const turn = ++this.#asked;
    const { items } = await call("GET", address("/emergencies", { state: "open", limit: 100 }));
    if (turn < this.#answered || !this.#me) return; // a later question was answered first
    this.#answered = turn;
    const presses = items.reduce((sum, each) => sum + each.presses, 0);
    const isNew = items.some((each) => !this.#open.some((known) => known.id === each.id));
    this.#open = items.reverse();
    if (isNew || presses > this.#presses) {
      this.#silentUntil = this.#hiddenUntil = 0;
      this.#announce();
    }
    this.#presses = presses;
    this.#show();
    if (isNew) this.dialog.focus(); // not a button: whoever types now must not press it
  }

  /** The escalation has told it again. */
  repeat() {
    this.#hiddenUntil = 0;
    this.#announce();
    this.#show();
  }

  #announce() {
    if (this.#open.length) this.#said.textContent = `${this.#title()}. ${clock(Date.now())}`;
  }

  #title() {
    const real = this.#open.filter((each) => !each.test);
    const who = (real.length ? real : this.#open).map((each) => each.device_name).join(", ");
    return real.length ? `Help is needed: ${who}` : `TEST of the alarm: ${who}`;
  }

  #show() {
    const now = Date.now();
    const any = this.#open.length > 0;
    const hidden = now < this.#hiddenUntil;
    this.#place.hidden = !any;
    this.#place.dataset.kind = this.#open.every((each) => each.test) ? "test" : "real";
    this.dialog.hidden = hidden;
    this.#small.hidden = !hidden;
    document.body.classList.toggle("alarmed", any && !hidden);
    this.#rest.forEach((each) => (each.inert = any && !hidden));
    this.#mute.hidden = this.#siren.allowed;
    this.#sound.hidden = !this.#me || this.#siren.allowed;
    this.#sound.textContent = "Switch the alarm's sound on";
    if (any && now >= this.#silentUntil) this.#siren.start();
    else this.#siren.stop();
    this.#flashTitle(any);
    if (!any) return;
    this.#heading.textContent = this.#title();
    this.#small.textContent = `${this.#title()} — ${plural(this.#open.length, "open emergency", "open emergencies")}. Show`;
    keyed(this.#cards, this.#open, (each) => each.id, (each, before) => this.#card(each, before));
  }

  #card(each, before) {
    const made = before ?? this.#newCard(each);
    const pressed = each.presses > 1 ? `pressed ${each.presses} times, last ` : "pressed ";
    made.querySelector(".when").replaceChildren(pressed, time(each.presses > 1 ? each.last_press_at : each.received_at));
    made.querySelector(".message").textContent = each.message;
    made.querySelector(".remark").textContent = each.note;
    return made;
  }

  #newCard(each) {
    const card = element(
      "li",
      { className: "alarm-card", data: { kind: each.test ? "test" : "real" } },
      element("h3", {}, each.device_name, each.test ? element("span", { className: "tag" }, "TEST") : null),
      element("p", { className: "when" }),
      element("p", { className: "message" }),
      element("p", { className: "remark" }),
    );
    if (this.#me.role === "viewer") {
      card.append(element("p", {}, "You may look only: an operator has to acknowledge it."));
      return card;
    }
    const note = element("input", { maxLength: 1000, placeholder: "I am on my way", autocomplete: "off" });
    const form = element(
      "form",
      {},
      field("Note (the device says it)", note),
      element("button", { className: "strong", type: "submit" }, "I take care of it"),
    );
    form.onsubmit = (event) => {
      event.preventDefault();
      attempt(form, async () => {
        await call("POST", `/emergencies/${encodeURIComponent(each.id)}/acknowledge`, { note: note.value });
        await this.look();
      }).then((well) => {
        if (well) toast("When it is over, close it under Emergencies: the device then gets back the personality it had.");
        else this.look().catch(() => {}); // somebody else may have been faster
      });
    };
    card.append(form);
    return card;
  }

  #beSilent() {
    this.#silentUntil = Date.now() + SILENT_MS;
    this.#show();
  }

  #hide() {
    this.#hiddenUntil = Date.now() + HIDDEN_MS;
    this.#show();
    document.getElementById("view").focus({ preventScroll: true });
  }

  #unhide() {
    this.#hiddenUntil = 0;
    this.#show();
    this.dialog.focus();
  }

  #flashTitle(any) {
    if (any === Boolean(this.#flash)) return;
    clearInterval(this.#flash);
    this.#flash = 0;
    document.title = TITLE;
    if (any) {
      let shown = false;
      this.#flash = setInterval(() => {
        shown = !shown;
        document.title = shown ? `⚠ ${this.#title()}` : TITLE;
      }, FLASH_MS);
    }
  }
}
