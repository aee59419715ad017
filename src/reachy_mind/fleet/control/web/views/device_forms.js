// Forms of a device: what it shall say, play and be; name, groups, volume, configuration, and its end.

import { call } from "/web/api.js";
import { attempt, button, choice, element, field, toast } from "/web/words.js";

const MOST_SOUND_BYTES = 1 << 20;

/** What a device should be and have. `changed` is called after each change. */
export function settings(path, device, twin, changed) {
  return element(
    "details",
    { className: "card" },
    element("summary", {}, "Settings"),
    element("div", { className: "pair" }, naming(path, device, changed), sound(path, twin, changed)),
    configuration(path, twin, changed),
  );
}

function formed(heading, controls, words, work) {
  const form = element("form", {}, element("h4", {}, heading), ...controls, element("button", { type: "submit", className: "quiet" }, words));
  form.onsubmit = (event) => {
    event.preventDefault();
    attempt(form, work).then((well) => well && toast("Done."));
  };
  return form;
}

function naming(path, device, changed) {
  const name = element("input", { value: device.name, required: true, maxLength: 64, autocomplete: "off" });
  const groups = element("input", { value: device.groups.join(", "), autocomplete: "off" });
  return formed("Name and groups", [field("Name", name), field("Groups", groups, "With commas between them; new ones are made")], "Save", async () => {
    const wanted = groups.value.split(",").map((each) => each.trim()).filter(Boolean);
    await call("PATCH", path, { name: name.value.trim(), groups: wanted });
    await changed();
  });
}

function sound(path, twin, changed) {
  const volume = element("input", { type: "range", min: 0, max: 100, step: 5, value: twin.desired.volume ?? twin.reported?.volume ?? 50 });
  const shown = element("output", { htmlFor: "volume" }, `${volume.value} %`);
  volume.id = "volume";
  volume.oninput = () => (shown.textContent = `${volume.value} %`);
  return formed("Sound", [field("Volume", volume), shown], "Set the volume", async () => {
    await call("PATCH", `${path}/twin`, { volume: Number(volume.value) });
    await changed();
  });
}

/** Another personality, and what the device says when it has it. */
export function persona(device, changed) {
  const known = choice([["", "Loading …"]]);
  const message = element("input", { maxLength: 500, autocomplete: "off", placeholder: "Its greeting" });
  const fill = async () => {
    const { items } = await call("GET", "/personas?limit=500");
    const options = items.map((each) => element("option", { value: each.id, selected: each.id === device.twin.desired_persona }, each.id.replaceAll("_", " ")));
    known.replaceChildren(...(options.length ? options : [element("option", { value: "" }, "None is stored yet")]));
  };
  fill().catch(() => known.replaceChildren(element("option", { value: "" }, "They can't be listed just now")));
  known.required = true;
  const form = element(
    "form",
    { className: "card" },
    element("h3", {}, "Personality"),
    field("Its latest version", known),
    field("What it says then", message),
    element("div", { className: "buttons" }, element("button", { type: "submit", className: "strong" }, "Give it this one")),
  );
  form.onsubmit = (event) => {
    event.preventDefault();
    attempt(form, async () => {
      const said = message.value.trim() ? { transition_message: message.value.trim() } : {};
      await call("POST", "/rollouts", { persona: known.value, devices: [device.id], wave_size: 1, ...said });
      message.value = "";
      await changed();
    }).then((well) => well && toast(`${device.name} becomes ${known.value.replaceAll("_", " ")}${device.online ? "" : ", as soon as it connects"}.`));
  };
  return form;
}

/** Say, play, restart, test. */
export function sending(path, device) {
  const text = element("input", { maxLength: 4000, autocomplete: "off", placeholder: "Dinner is ready." });
  const file = element("input", { type: "file", accept: ".wav,audio/wav" });
  const when = device.online ? "" : ", as soon as it connects";
  const send = (type, payload, told) => attempt(form, async () => {
    await call("POST", `${path}/commands`, { type, payload: typeof payload === "function" ? await payload() : payload });
    toast(told);
  });
  const play = () => send("audio.play", async () => ({ audio: await stored(file.files[0]) }), `${device.name} plays it${when}.`);
  const form = element(
    "form",
    { className: "card" },
    element("h3", {}, "Send"),
    field("Say", text),
    element("div", { className: "buttons" }, element("button", { type: "submit", className: "strong" }, "Say it")),
    field("Play a sound", file, "A WAV file, 16 bit, one channel, at most 1 MB"),
    element(
      "div",
      { className: "buttons" },
      button("Play it", play),
      button("Restart it", () => send("restart", {}, `${device.name} restarts${when}.`)),
      button("Test its alarm", () => attempt(form, () => call("POST", "/emergencies/test", { device: device.id }))),
    ),
  );
  if (device.caps.includes("robot")) form.lastChild.append(button("Stop its movement", () => send("robot.stop", {}, `${device.name} stops${when}.`)));
  form.onsubmit = (event) => {
    event.preventDefault();
    if (!text.value.trim()) return text.focus();
    send("speak", { text: text.value.trim() }, `${device.name} says it${when}.`).then((well) => well && (text.value = ""));
  };
  return form;
}

/** Stores a sound on the server; its id. */
export async function stored(file) {
  if (!file || file.size > MOST_SOUND_BYTES) {
    throw Object.assign(new Error(file ? "This file is too large" : "Choose a file first"), { code: "INVALID_PARAMETER", hint: "a WAV file of at most 1 MB" });
  }
  return (await call("POST", "/audio", file)).audio;
}

function configuration(path, twin, changed) {
  let before = twin.desired.config;
  const text = element("textarea", { rows: 6, spellcheck: false, value: JSON.stringify(before, null, 2) });
  return formed("Configuration", [field("As JSON", text, "What the device's program understands, such as {\"wake_word\": \"reachy\"}")], "Send it", async () => {
    let wanted;
    try {
      wanted = JSON.parse(text.value || "{}");
    } catch {
      throw Object.assign(new Error("This is no JSON"), { code: "INVALID_PARAMETER", hint: "names and texts are in double quotes" });
    }
    const removed = Object.keys(before).filter((key) => !(key in wanted));
    const answer = await call("PATCH", `${path}/twin`, { config: { ...wanted, ...Object.fromEntries(removed.map((key) => [key, null])) } });
    before = answer.desired.config;
    await changed();
  });
}

/** Refuses a device for ever: its name has to be typed first. */
export function revocation(path, device, gone) {
  const name = element("input", { autocomplete: "off", required: true });
  const everything = element("input", { type: "checkbox" });
  const form = element(
    "form",
    {},
    element("p", {}, `It can't connect any more, and has to be enrolled again as a new device. What it still has to say is lost with it.`),
    field(`Type its name to confirm: ${device.name}`, name),
    field("Also erase what it sent and was sent, its emergencies and sounds", everything),
    element("button", { type: "submit", className: "danger" }, "Revoke this device"),
  );
  form.onsubmit = (event) => {
    event.preventDefault();
    attempt(form, async () => {
      if (name.value.trim() !== device.name) throw Object.assign(new Error("That is not its name"), { code: "INVALID_PARAMETER", hint: "nothing was changed" });
      await (everything.checked ? call("POST", `${path}/erase`) : call("DELETE", path));
    }).then((well) => well && gone());
  };
  return element("details", { className: "card" }, element("summary", {}, "Revoke it"), form);
}
