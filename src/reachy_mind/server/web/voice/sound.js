// This device's microphone and loudspeaker, for as long as they are open: 16 kHz, 16 bits, mono, both ways.

import { Obstacle, obstacleOf } from "./obstacles.js";

const CLEANED = { echoCancellation: true, noiseSuppression: true, autoGainControl: true, channelCount: 1 };
const WORKLET = "/web/voice/worklet.js";

export class Sound {
  #tell;
  #context = null;
  #stream = null;
  #source = null;
  #ear = null;
  #mouth = null;
  #listens = true;

  /** @param tell `heard(pcm, level)`, `played({played, number, level})`, `lost(name)`: the microphone has gone */
  constructor(tell) {
    this.#tell = tell;
  }

  /** Whether the loudspeaker can be chosen in this browser. */
  static get choosesOutput() {
    return typeof AudioContext !== "undefined" && "setSinkId" in AudioContext.prototype;
  }

  /** What there is to listen and to speak with: {inputs, outputs}, each {id, name}; without names before it was allowed. */
  static async devices() {
    const all = (await navigator.mediaDevices?.enumerateDevices()) ?? [];
    const those = (kind) => all.filter((one) => one.kind === kind && one.deviceId && one.deviceId !== "default");
    const named = (one, index) => ({ id: one.deviceId, name: one.label || `Device ${index + 1}` });
    return { inputs: those("audioinput").map(named), outputs: those("audiooutput").map(named) };
  }

  /** Call it from a click: browsers let nobody speak without one. The microphone waits until `ready`. Throws Obstacle. */
  async open({ input, output }, ready) {
    if (!isSecureContext || !navigator.mediaDevices?.getUserMedia) throw new Obstacle("insecure");
    if (typeof AudioWorkletNode === "undefined") throw new Obstacle("old");
    const context = new AudioContext({ latencyHint: "interactive" });
    this.#context = context;
    try {
      await Promise.all([context.audioWorklet.addModule(WORKLET), context.resume(), ready]);
      if (this.#context === context) await this.#listenTo(input);
      if (this.#context !== context) throw new DOMException("closed meanwhile", "AbortError");
      this.#connect(context);
      await this.speakThrough(output);
    } catch (error) {
      if (this.#context === context) this.close();
      throw obstacleOf(error);
    }
  }

  close() {
    release(this.#stream);
    this.#context?.close();
    this.#context = this.#stream = this.#source = this.#ear = this.#mouth = null;
  }

  /** Another microphone, while it is open; "" is the usual one. Throws Obstacle; the one before is kept then. */
  async hearThrough(input) {
    try {
      await this.#listenTo(input);
      this.#source.disconnect();
      this.#source = this.#context.createMediaStreamSource(this.#stream);
      this.#source.connect(this.#ear);
    } catch (error) {
      throw obstacleOf(error);
    }
  }

  /** Another loudspeaker; one that has gone is replaced by the usual one. */
  async speakThrough(output) {
    if (!Sound.choosesOutput || !this.#context) return;
    await this.#context.setSinkId(output).catch(() => this.#context?.setSinkId(""));
  }

  /** Whether the microphone is heard; else it gives silence. */
  listen(on) {
    this.#listens = on;
    for (const track of this.#stream?.getTracks() ?? []) track.enabled = on;
  }

  /** A phone that was locked, or called, has put it to sleep. */
  wake() {
    if (this.#context && this.#context.state !== "running") this.#context.resume().catch(() => {});
  }

  play(pcm) {
    this.#mouth?.port.postMessage({ pcm }, [pcm]);
  }

  flush(number) {
    this.#mouth?.port.postMessage({ flush: number });
  }

  /** Be silent now; the mind's flush follows. */
  hush() {
    this.#mouth?.port.postMessage({ hush: true });
  }

  async #listenTo(input) {
    const context = this.#context;
    const stream = await microphone(input);
    if (this.#context !== context) return release(stream); // closed while a person was being asked
    release(this.#stream);
    this.#stream = stream;
    const [track] = stream.getAudioTracks();
    track.addEventListener("ended", () => this.#stream === stream && this.#tell.lost(track.label));
    this.listen(this.#listens);
  }

  #connect(context) {
    this.#ear = new AudioWorkletNode(context, "ear", { numberOfInputs: 1, outputChannelCount: [1] });
    this.#mouth = new AudioWorkletNode(context, "mouth", { numberOfInputs: 0, outputChannelCount: [1] });
    this.#ear.port.onmessage = ({ data }) => this.#tell.heard(data.pcm, data.level);
    this.#mouth.port.onmessage = ({ data }) => this.#tell.played(data);
    this.#source = context.createMediaStreamSource(this.#stream);
    this.#source.connect(this.#ear).connect(context.destination); // it is silent: only what leads there is asked for sound
    this.#mouth.connect(context.destination);
  }
}

/** The one that was chosen, or the usual one where that is not there any more. */
async function microphone(id) {
  const media = navigator.mediaDevices;
  if (!id) return media.getUserMedia({ audio: CLEANED });
  try {
    return await media.getUserMedia({ audio: { ...CLEANED, deviceId: { exact: id } } });
  } catch (error) {
    if (!["OverconstrainedError", "NotFoundError"].includes(error.name)) throw error;
    return media.getUserMedia({ audio: CLEANED });
  }
}

function release(stream) {
  for (const track of stream?.getTracks() ?? []) track.stop();
}
