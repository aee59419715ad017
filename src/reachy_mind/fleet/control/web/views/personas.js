// Personalities: what is stored, its texts, and how new ones come in.

import { call } from "/web/api.js";
import { attempt, button, choice, element, field, gathered, keyed, plural, tag, time, toast } from "/web/words.js";

const MOST_FILES = 8;

export async function personas(place, context) {
  const list = element("ul", { className: "rows" });
  const none = element("p", { className: "note" }, "None is stored yet.");
  place.replaceChildren(
    element("div", { className: "heading" }, element("h2", {}, "Personalities")),
    element("p", { className: "lead" }, "What your devices can be. A version is never changed; a rollout gives one to devices."),
    list,
    none,
  );
  if (context.may("operator")) place.append(element("div", { className: "pair" }, await shipped(), upload()));
  place.append(await buttonsPolicy(context));

  async function load() {
    const { items } = await call("GET", "/personas?limit=500");
    none.hidden = items.length > 0;
    keyed(list, items, (each) => each.id, (each, before) => row(each, before, context));
  }
  await load();
  const again = gathered(load);
  return { news: ({ kind }) => kind === "persona" && again(), look: again };
}

function row(persona, before, context) {
  const made = before ?? element("li", {}, element("details", { className: "row" }));
  const details = made.firstChild;
  const state = JSON.stringify(persona.versions);
  if (made.dataset.state === state) return made;
  made.dataset.state = state;
  const [latest] = persona.versions;
  details.replaceChildren(
    element(
      "summary",
      {},
      element("span", { className: "words" }, element("strong", {}, persona.id), element("small", {}, `by ${latest.created_by}, `, time(latest.created_at))),
      tag(plural(persona.versions.length, "version")),
    ),
    element("ul", { className: "inside rows" }, ...persona.versions.map((each, at) => version(persona.id, each, at === 0, context))),
  );
  return made;
}

function version(id, each, isLatest, context) {
  const texts = element("div");
  const line = element(
    "li",
    { className: "line wrap" },
    element("span", { className: "words" }, element("code", {}, each.etag.slice(0, 12)), element("small", {}, `by ${each.created_by}, `, time(each.created_at))),
    isLatest ? tag("latest", "own") : null,
    button("Texts", () => attempt(line, () => read(id, each.etag, texts)), "quiet small"),
  );
  if (context.may("operator")) {
    line.append(
      button("Roll out", () => context.go(`#/rollouts/${encodeURIComponent(`${id} ${each.etag}`)}`), "quiet small"),
      button("Remove", () => attempt(line, () => call("DELETE", `/personas/${encodeURIComponent(id)}/${each.etag}`)), "quiet small"),
    );
  }
  line.append(texts);
  return line;
}

async function read(id, etag, place) {
  if (place.firstChild) {
    place.replaceChildren();
    return;
  }
  const { files } = await call("GET", `/personas/${encodeURIComponent(id)}?etag=${etag}`);
  place.replaceChildren(...Object.entries(files).map(([name, text]) => element("div", { className: "outcome" }, element("h4", {}, name), element("pre", { tabIndex: 0 }, text))));
}

async function shipped() {
  const { items } = await call("GET", "/shipped-personas");
  const which = choice(items.map((each) => [each, each.replaceAll("_", " ")]));
  const form = element(
    "form",
    { className: "card" },
    element("h3", {}, "One that comes with the program"),
    field("Which", which),
    element("button", { type: "submit", className: "strong" }, "Store it"),
  );
  form.onsubmit = (event) => {
    event.preventDefault();
    attempt(form, () => call("POST", "/personas", { profile: which.value })).then((well) => well && toast(`${which.value} is stored.`));
  };
  return form;
}

/** What the buttons of devices may ask for. */
async function buttonsPolicy(context) {
  const policy = await call("GET", "/persona-policy");
  const others = Object.keys(policy.groups).length + Object.keys(policy.devices).length;
  const about = "The red button asks for emergency, the green one for companion, the blue one for entertainer. When an emergency is closed, its device gets the personality back that it had.";
  const more = others ? element("p", { className: "count" }, `${plural(others, "group or device", "groups or devices")} of their own: reachy-mind fleet persona buttons`) : "";
  const heading = element("h3", {}, "What buttons may ask for");
  if (!context.may("admin")) return element("section", { className: "card" }, heading, element("p", {}, about), element("p", {}, policy.personas.join(", ") || "Nothing"), more);
  const names = element("input", { value: policy.personas.join(", "), autocomplete: "off" });
  const form = element(
    "form",
    { className: "card" },
    heading,
    element("p", { className: "lead" }, about),
    field("Personalities", names, "Names with commas between them; empty: nothing"),
    more,
    element("button", { type: "submit", className: "quiet" }, "Save"),
  );
  form.onsubmit = (event) => {
    event.preventDefault();
    attempt(form, async () => {
      const saved = await call("PUT", "/persona-policy", { personas: names.value.split(",").map((each) => each.trim()).filter(Boolean) });
      names.value = saved.personas.join(", ");
    }).then((well) => well && toast("Saved."));
  };
  return form;
}

function upload() {
  const id = element("input", { required: true, pattern: "[a-z0-9][a-z0-9_\\-]{0,63}", maxLength: 64, autocomplete: "off", placeholder: "sea_captain" });
  const files = element("input", { type: "file", multiple: true, required: true, accept: ".txt,.yaml,.md" });
  const form = element(
    "form",
    { className: "card" },
    element("h3", {}, "One of your own"),
    field("Name", id, "Small letters, digits, - and _"),
    field("Its texts", files, "instructions.txt, and if it has them greeting, voice, tools, moves, about, manner.yaml"),
    element("button", { type: "submit", className: "strong" }, "Upload"),
  );
  form.onsubmit = (event) => {
    event.preventDefault();
    attempt(form, async () => {
      const chosen = [...files.files].slice(0, MOST_FILES + 1);
      const texts = await Promise.all(chosen.map(async (file) => [file.name, await file.text()]));
      await call("POST", "/personas", { id: id.value, files: Object.fromEntries(texts) });
    }).then((well) => well && toast(`${id.value} is stored.`));
  };
  return form;
}
