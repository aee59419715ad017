// Notices: a short word that passes, and a banner that stays for as long as something is wrong.

import { element } from "../words.js";

const TOAST_MS = 3200;
const MOST_TOASTS = 3;

export class Notices {
  #toasts = document.getElementById("toasts");
  #banner = document.getElementById("banner");
  #standing = new Map();
  #alarm = 0;
  #shown = "";

  /** Something that is good to know and need not be kept. */
  toast(text, ms = TOAST_MS) {
    for (const old of this.#toasts.children) if (old.textContent === text) old.remove();
    const toast = element("p", { className: "toast" }, text);
    this.#toasts.append(toast);
    while (this.#toasts.childElementCount > MOST_TOASTS) this.#toasts.firstElementChild.remove();
    setTimeout(() => toast.remove(), ms);
  }

  /** Something is wrong until it is said to be right: `stand("server", null)`. */
  stand(about, notice) {
    if (notice) this.#standing.set(about, notice);
    else this.#standing.delete(about);
    this.#show();
  }

  /** Something went wrong and must be seen; it goes after a while. */
  alarm(text, hint = "") {
    clearTimeout(this.#alarm);
    this.stand("alarm", { text, hint, kind: "bad" });
    this.#alarm = setTimeout(() => this.stand("alarm", null), 12000);
  }

  #show() {
    const notices = [...this.#standing.values()];
    const told = JSON.stringify(notices);
    if (told === this.#shown) return; // said again to a screen reader, it would be read again
    this.#shown = told;
    this.#banner.hidden = !notices.length;
    this.#banner.dataset.kind = notices.some((notice) => notice.kind === "bad") ? "bad" : "note";
    this.#banner.replaceChildren(...notices.map(row));
  }
}

function row({ text, hint, action, act }) {
  const parts = element("div", {}, element("span", {}, text));
  if (hint) parts.append(element("small", {}, hint));
  if (action) {
    const button = element("button", { type: "button", textContent: action });
    button.addEventListener("click", act);
    parts.append(button);
  }
  return parts;
}
