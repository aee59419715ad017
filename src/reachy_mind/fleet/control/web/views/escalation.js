// Whom an emergency is told, when, and how often again.

import { call } from "/web/api.js";
import { attempt, button, choice, element, field, toast } from "/web/words.js";

export async function escalation(place, context) {
  const policy = await call("GET", "/escalation");
  place.replaceChildren(
    element("div", { className: "heading" }, element("h2", {}, "Alarm settings")),
    element("p", { className: "lead" }, "When somebody presses for help, the steps are told one after another. The last one is repeated until a person acknowledges; it never gives up."),
  );
  if (!context.may("admin")) {
    place.append(shown(policy), element("p", { className: "note" }, "An admin can change this."));
    return {};
  }
  const steps = element("ol", { className: "steps" }, ...policy.steps.map(step));
  const repeat = element("input", { type: "number", min: 10, max: 3600, value: policy.repeat_every_s, required: true });
  const form = element(
    "form",
    {},
    steps,
    button("Add a step", () => {
      const last = Math.max(-60, ...[...steps.children].map((each) => each.read().after_s));
      steps.append(step({ after_s: last + 60, channels: [{ kind: "webhook", url: "" }] }));
    }),
    field("Repeat the last step every … seconds", repeat),
    element("button", { type: "submit", className: "strong" }, "Save"),
  );
  form.onsubmit = (event) => {
    event.preventDefault();
    attempt(form, async () => {
      const wanted = { steps: [...steps.children].map((each) => each.read()), repeat_every_s: repeat.valueAsNumber };
      const saved = await call("PUT", "/escalation", wanted);
      steps.replaceChildren(...saved.steps.map(step));
    }).then((well) => well && toast("Saved. Test it with a device of yours."));
  };
  place.append(form);
  return {};
}

function shown(policy) {
  return element(
    "ol",
    { className: "steps" },
    ...policy.steps.map((each) => element("li", { className: "card" }, element("h3", {}, words(each.after_s)), ...each.channels.map((one) => element("p", {}, one.kind === "page" ? "This page" : `Webhook ${one.url}`)))),
    element("li", {}, `The last step again every ${policy.repeat_every_s} seconds`),
  );
}

const words = (seconds) => (seconds ? `After ${seconds} seconds` : "At once");

/** An element with `read()`: what it holds. */
function step(content) {
  const after = element("input", { type: "number", min: 0, max: 86_400, value: content.after_s, required: true });
  const channels = element("div", {}, ...content.channels.map(channel));
  const made = element(
    "li",
    { className: "card" },
    field("After … seconds", after),
    channels,
    element(
      "div",
      { className: "buttons" },
      button("Add a channel", () => channels.append(channel({ kind: "webhook", url: "" })), "quiet small"),
      button("Remove this step", () => made.remove(), "quiet small"),
    ),
  );
  made.read = () => ({ after_s: after.valueAsNumber, channels: [...channels.children].map((each) => each.read()) });
  return made;
}

function channel(content) {
  const kind = choice([["page", "This page: alarm on every open one"], ["webhook", "Webhook: another program is told"]], content.kind);
  const url = element("input", { type: "url", value: content.url ?? "", autocomplete: "off", placeholder: "https://" });
  const secret = element("input", { type: "password", autocomplete: "new-password", maxLength: 200 });
  const about = content.signed ? "One is stored; leave this empty to keep it" : "Optional: messages are signed with it";
  const more = element("div", {}, field("Web address", url), field("Secret", secret, about));
  const toggle = () => {
    more.hidden = kind.value !== "webhook";
    url.required = kind.value === "webhook";
  };
  kind.onchange = toggle;
  toggle();
  const made = element("fieldset", {}, element("legend", {}, "Tell"), field("Channel", kind), more, button("Remove this channel", () => made.remove(), "quiet small"));
  made.read = () => {
    if (kind.value === "page") return { kind: "page" };
    return { kind: "webhook", url: url.value.trim(), ...(secret.value ? { secret: secret.value } : {}) };
  };
  return made;
}
