// The form that begins an activity: what, with whom, and what an emergency does to it.

import { call } from "/web/api.js";
import { attempt, choice, element, field, plural, toast } from "/web/words.js";
import { stored } from "/web/views/device_forms.js";

const KINDS = [["story", "Story: a text in the devices' own voices"], ["music", "Music: a sound file, or a beat"], ["exercise", "Exercise: steps, one after another"], ["dance", "Dance: a sound or a beat, and moves of Reachy Minis"]];
const EMERGENCY = [["end", "It ends for the device's group"], ["pause", "It pauses for all"], ["ignore", "It goes on"]];

export async function activityForm() {
  const { items } = await call("GET", "/groups?limit=500");
  const kind = choice(KINDS, "story");
  const group = choice([["", "These devices:"], ...items.map((each) => [each.name, `${each.name} (${plural(each.devices, "device")})`])], items[0]?.name ?? "");
  const names = element("input", { autocomplete: "off", placeholder: "kitchen, hall" });
  const text = element("textarea", { rows: 6, maxLength: 20_000, className: "prose" });
  const file = element("input", { type: "file", accept: ".wav,audio/wav" });
  const bpm = element("input", { type: "number", min: 30, max: 240, value: 100 });
  const seconds = element("input", { type: "number", min: 1, max: 600, value: 60 });
  const move = element("input", { autocomplete: "off", placeholder: "two_step", maxLength: 64 });
  const every = element("input", { type: "number", min: 1, max: 600, placeholder: "once" });
  const language = element("input", { value: "en", pattern: "[a-z]{2,3}(-[A-Za-z0-9]{2,8})?", maxLength: 12, required: true });
  const emergency = choice(EMERGENCY, "end");
  const named = field("Devices", names, "Names with commas between them");
  const textField = field("Text", text);
  const sounds = element("div", { className: "filters" }, field("Sound file", file, "A WAV file of at most 1 MB; without one, a beat"), field("Beats a minute", bpm), field("Seconds", seconds));
  const moves = element("div", { className: "filters" }, field("Move", move, "Of Reachy Minis; others only play"), field("Again every … seconds", every));
  const languageField = field("Language", language);

  function toggle() {
    const speaks = kind.value === "story" || kind.value === "exercise";
    textField.hidden = languageField.hidden = !speaks;
    textField.querySelector("label").textContent = kind.value === "exercise" ? "Steps, one on each line" : "Text";
    sounds.hidden = speaks;
    moves.hidden = kind.value !== "dance";
    named.hidden = group.value !== "";
  }
  kind.onchange = group.onchange = toggle;
  toggle();

  async function content() {
    if (kind.value === "story") return { text: text.value, language: language.value };
    if (kind.value === "exercise") return { parts: lines(text.value).map((each) => ({ text: each })), language: language.value };
    const sound = file.files.length ? { audio: await stored(file.files[0]) } : { beat: { bpm: bpm.valueAsNumber, seconds: seconds.valueAsNumber } };
    const moving = kind.value === "dance" && move.value.trim() ? { move: move.value.trim(), ...(every.value ? { move_every_s: every.valueAsNumber } : {}) } : {};
    return { ...sound, ...moving };
  }

  const form = element(
    "form",
    { className: "card" },
    element("h3", {}, "Do something together"),
    element("div", { className: "filters" }, field("What", kind), field("With whom", group), named),
    textField,
    sounds,
    moves,
    element("div", { className: "filters" }, languageField, field("When somebody presses for help", emergency)),
    element("button", { type: "submit", className: "strong" }, "Begin"),
  );
  form.onsubmit = (event) => {
    event.preventDefault();
    attempt(form, async () => {
      const whom = group.value ? { group: group.value } : { devices: names.value.split(",").map((each) => each.trim()).filter(Boolean) };
      await call("POST", "/activities", { kind: kind.value, ...whom, content: await content(), on_emergency: emergency.value });
    }).then((well) => well && toast("The devices get ready."));
  };
  return element("details", { className: "beginning" }, element("summary", { className: "strong" }, "New activity"), form);
}

const lines = (text) => text.split("\n").map((each) => each.trim()).filter(Boolean);
