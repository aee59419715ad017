// The login: with the key of an operator, which is sent once and then forgotten here.

import { call } from "/web/api.js";
import { attempt, element, field } from "/web/words.js";

export async function login(place, arrive) {
  const key = element("input", { type: "password", required: true, autocomplete: "current-password", spellcheck: false, name: "key" });
  const form = element(
    "form",
    { className: "card" },
    element("img", { src: "/web/mark.svg", alt: "", width: 56, height: 56 }),
    element("h2", {}, "Your companions"),
    element("p", { className: "lead" }, "Log in to see them, and to be there when one calls for help."),
    field("Your key", key, "It begins with op_. Whoever runs the control plane makes one: reachy-mind fleet operators new NAME"),
    element("button", { className: "strong", type: "submit" }, "Log in"),
  );
  form.onsubmit = (event) => {
    event.preventDefault();
    attempt(form, async () => {
      const me = await call("POST", "/login", { key: key.value.trim() });
      key.value = "";
      await arrive(me);
    });
  };
  place.replaceChildren(element("div", { className: "login" }, form));
  key.focus();
}
