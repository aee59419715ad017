// The voices: each can be heard here, chosen, and fetched where it is missing.

import { ask } from "../wire.js";
import { element } from "../words.js";
import { Filtered } from "./filtered.js";
import { Panel, button, chip, choice, during, field, note } from "./panel.js";

const ENGINES = {
  kokoro: "Kokoro",
  piper: "Piper",
  flite: "Flite",
  espeak: "eSpeak NG",
};

/** "Heart" of "af_heart": what comes before it says who speaks, which stands there in words. */
const title = (name) => name.replace(/^[ab][fm]_/, "").replace(/^./, (first) => (/_/.test(name) ? first.toUpperCase() : first));

export class VoiceList {
  name = "Voice";
  #notices;
  #panel = new Panel("Voice");
  #head = element("div");
  #rows = new Filtered("woman, British, Kokoro…", "No voice is like that.");
  #sound = null;
  #playing = null;
  #source = null;
  #mood = choice(["neutral"], "neutral");

  constructor(notices) {
    this.#notices = notices;
    this.element = element("div", {}, this.#head, this.#rows.element);
  }

  enter() {
    this.#panel.fill(() => Promise.all([ask("GET", "voice/voices"), ask("GET", "models"), ask("GET", "me")]), (found) => this.#show(...found), this.#rows.list);
  }

  leave() {
    this.#hush();
  }

  heard(event, shown) {
    const changed = (event.type === "ToolCalled" && /change_setting$/.test(event.tool)) || event.type === "ProfileChanged" || (event.type === "ModelPullChanged" && event.state !== "running");
    if (changed && shown) this.enter();
    if (event.type === "ModelPullChanged" && event.state === "running") this.#progress(event);
  }

  #show({ voices, in_use: used, voice_name: chosen, voice: engine, personality, moods }, { models }, { scopes }) {
    const state = { chosen, engine, mayPull: scopes.includes("admin") };
    const said = used ? `I speak with ${used}.` : "I have no voice in use at the moment.";
    const own = personality ? ` The personality in use asks for its own voice, ${personality}; your choice is heard with the others.` : "";
    const usual = button("The usual voice", () => this.#choose(usual, ""));
    usual.disabled = !chosen;
    this.#mood = choice(moods, this.#mood.value);
    this.#head.replaceChildren(note(`${said}${own}`), element("p", { className: "buttons" }, usual), element("div", { className: "filters" }, field("Mood of the samples", this.#mood)));
    const engines = [...Map.groupBy(voices, (voice) => voice.engine)];
    this.#rows.show(engines.flatMap(([each, members]) => this.#group(each, members, models, state)));
  }

  #group(engine, voices, models, { chosen, engine: wanted, mayPull }) {
    const [{ licence, installed, asset, size, hint }] = voices;
    const group = ENGINES[engine] ?? engine;
    const words = element("span", { className: "words" }, element("small", {}, `Licence: ${licence}`));
    if (!installed) words.append(element("small", { className: "fix" }, asset ? `Not here yet, ${Math.round(size / 1e6)} MB to download: ` : "Not on this machine: ", element("code", {}, hint)));
    const head = element("div", { className: "line" }, words);
    if (!installed && asset && mayPull) head.append(this.#getting(asset, models.find(({ name }) => name === asset)?.pull));
    const rows = voices.map((voice) => ({ group, words: `${group} ${voice.name} ${voice.about}`, element: this.#row(voice, chosen, wanted) }));
    return [{ group, words: `${group} licence ${licence}`, element: head }, ...rows];
  }

  /** A button that fetches it, or how far that is. */
  #getting(asset, pull) {
    const bar = element("progress", { max: 1, value: 0, ariaLabel: `Getting ${asset}`, hidden: pull?.state !== "running" });
    bar.dataset.asset = asset;
    const get = button("Get it", () => during(get, this.#tell, () => ask("POST", `models/${asset}/pull`)), "strong");
    get.hidden = pull?.state === "running";
    const box = element("span", { className: "buttons" }, get, bar);
    if (pull?.state === "failed") box.append(element("small", { className: "fix" }, `${pull.error.message}. ${pull.error.hint}`));
    return box;
  }

  #progress({ name, done, total }) {
    const bar = this.#rows.list.querySelector(`progress[data-asset="${CSS.escape(name)}"]`);
    if (!bar) return;
    bar.hidden = false;
    bar.value = total ? done / total : 0;
    bar.previousElementSibling.hidden = true;
  }

  #row({ engine, name, about, installed, in_use: used }, chosen, wanted) {
    const row = element("div", { className: "line" }, element("span", { className: "words" }, element("strong", {}, title(name)), element("small", {}, title(name) === name ? about : `${about} · ${name}`)));
    row.dataset.voice = `${engine} ${name}`;
    if (used) row.append(chip("in use", "own"));
    else if (name === chosen) row.append(chip("chosen"));
    if (!installed) return row;
    const play = button("Play", () => this.#play(play, engine, name));
    play.setAttribute("aria-label", `Play a sample of ${name}`);
    const use = button("Use", () => this.#choose(use, name, engine, wanted));
    use.setAttribute("aria-label", `Use ${name}`);
    use.disabled = name === chosen;
    row.append(play, use);
    return row;
  }

  async #play(pressed, engine, name) {
    const again = this.#playing === pressed;
    this.#hush();
    if (again) return;
    this.#sound ??= new AudioContext(); // a click has come: the browser lets it sound
    await during(pressed, this.#tell, async () => {
      const answer = await ask("POST", "voice/sample", { engine, voice: name, mood: this.#mood.value });
      const samples = await this.#sound.decodeAudioData(await answer.arrayBuffer());
      const source = new AudioBufferSourceNode(this.#sound, { buffer: samples });
      source.connect(this.#sound.destination);
      source.addEventListener("ended", () => this.#playing === pressed && this.#hush());
      this.#source = source;
      this.#playing = pressed;
      pressed.textContent = "Stop";
      source.start();
    });
  }

  #hush() {
    this.#source?.stop();
    if (this.#playing) this.#playing.textContent = "Play";
    this.#source = this.#playing = null;
  }

  /** The usual voice by its name; an engine that was set for all voices gives way to the one that has it. */
  async #choose(pressed, name, engine = "", wanted = "auto") {
    await during(pressed, this.#tell, async () => {
      if (name && wanted !== "auto" && wanted !== engine) await ask("PUT", "settings", { key: "speech.voice", value: "auto" });
      await ask("PUT", "settings", { key: "speech.voice_name", value: name });
      this.#notices.toast(name ? `I will speak with ${name}.` : "I will speak with the usual voice.");
    });
    this.enter();
  }

  #tell = (trouble) => this.#notices.toast(`That did not work: ${trouble.message}${trouble.hint ? ` (${trouble.hint})` : ""}`, 6000);
}
