// Enrolment: a code that a new device exchanges for its token, to type or to read with a camera.

import { call, callForText, now } from "/web/api.js";
import { attempt, element, field } from "/web/words.js";

export async function enrolment(place, context) {
  const name = element("input", { required: true, maxLength: 64, autocomplete: "off", placeholder: "kitchen" });
  const groups = element("input", { autocomplete: "off", placeholder: "downstairs, quiet" });
  const result = element("section", { className: "card code-card", hidden: true });
  let made = null;
  let ticking = 0;
  const form = element(
    "form",
    { className: "card" },
    field("What it shall be called", name),
    field("Groups", groups, "With commas between them; it may have none"),
    element("button", { type: "submit", className: "strong" }, "Make a code"),
  );
  form.onsubmit = (event) => {
    event.preventDefault();
    attempt(form, async () => {
      const wanted = groups.value.split(",").map((each) => each.trim()).filter(Boolean);
      made = await call("POST", "/enrolments", { name: name.value.trim(), groups: wanted });
      const drawing = await callForText("POST", "/qr-code", { text: made.qr });
      show(drawing);
    });
  };
  place.replaceChildren(
    element("p", {}, element("a", { href: "#/devices" }, "← All devices")),
    element("h2", {}, "Enrol a device"),
    element("p", { className: "lead" }, "The code works once, for ten minutes. Whoever has it can add this one device, and nothing else."),
    form,
    result,
  );

  function show(drawing) {
    const left = element("p", { className: "count", role: "timer" });
    const picture = element("img", { className: "qr", alt: "A QR code with the address and the code", src: `data:image/svg+xml,${encodeURIComponent(drawing)}` });
    const server = new URL(made.url).origin;
    result.replaceChildren(
      picture,
      element(
        "div",
        {},
        element("h3", {}, made.name),
        element("p", { className: "code", aria: { label: `Code ${[...made.code].join(" ")}` } }, `${made.code.slice(0, 4)} ${made.code.slice(4)}`),
        element("p", {}, "The device asks for the code and this address: ", element("code", {}, server)),
        left,
      ),
    );
    result.hidden = false;
    clearInterval(ticking);
    const tick = () => {
      const seconds = Math.max(0, Math.round((made.expires_at - now()) / 1000));
      left.textContent = seconds ? `Valid for ${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}` : "The code has expired: make a new one.";
    };
    tick();
    ticking = setInterval(tick, 1000);
  }

  return {
    news: (message) => {
      if (message.kind !== "enrolled" || message.name !== made?.name) return;
      context.go(`#/device/${encodeURIComponent(message.device)}`);
    },
    close: () => clearInterval(ticking),
  };
}
