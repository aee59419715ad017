// Sound on the browser's audio thread: `ear` turns what the microphone hears into blocks for the mind, `mouth` plays what
// the mind says and knows to the sample how much of it has been played.

import { Resampler } from "./resampler.js";

const RATE = 16000; // what the mind hears and speaks
const BLOCK = 320;
const TOLD_EVERY_S = 0.04;
const FADE_S = 0.005;
const HUSHED_S = 0.3;

/** Posts {pcm, level}: 20 ms in 16 bits, and how loud that was (root of the mean square, 0 to 1). */
class Ear extends AudioWorkletProcessor {
  #resampler = new Resampler(sampleRate, RATE);
  #block = new Int16Array(BLOCK);
  #filled = 0;
  #energy = 0;

  process([channels]) {
    if (channels.length) for (const sample of this.#resampler.feed(mixed(channels))) this.#take(sample);
    return true;
  }

  #take(sample) {
    const bounded = Math.max(-1, Math.min(1, sample));
    this.#energy += bounded * bounded;
    this.#block[this.#filled++] = Math.round(bounded * 32767);
    if (this.#filled < BLOCK) return;
    const level = Math.sqrt(this.#energy / BLOCK);
    this.port.postMessage({ pcm: this.#block.buffer, level }, [this.#block.buffer]);
    this.#block = new Int16Array(BLOCK);
    this.#filled = this.#energy = 0;
  }
}

function mixed(channels) {
  if (channels.length === 1) return channels[0];
  return channels[0].map((_, at) => channels.reduce((sum, channel) => sum + channel[at], 0) / channels.length);
}

/**
 * Takes {pcm} to play, {flush: number} to drop what has come so far, {hush} to be silent until that flush arrives. Posts
 * {played, number, level}: samples played since the flush of that number, and how loud the last of them were.
 */
class Mouth extends AudioWorkletProcessor {
  #resampler = new Resampler(RATE, sampleRate);
  #queue = [];
  #queued = 0;
  #received = 0;
  #number = 0;
  #hushedUntil = 0;
  #energy = 0;
  #rendered = 0;

  constructor() {
    super();
    this.port.onmessage = ({ data }) => {
      if (data.pcm) this.#take(new Int16Array(data.pcm));
      else if (data.hush) this.#hush();
      else this.#flush(data.flush);
    };
  }

  process(_, [[out]]) {
    for (let at = 0; at < out.length && this.#queue.length; ) {
      const piece = this.#queue[0];
      const part = piece.subarray(0, out.length - at);
      out.set(part, at);
      at += part.length;
      if (part.length === piece.length) this.#queue.shift();
      else this.#queue[0] = piece.subarray(part.length);
      this.#played(part);
    }
    return true;
  }

  #take(pcm) {
    this.#received += pcm.length;
    if (currentTime < this.#hushedUntil) return this.#tell();
    this.#enqueue(this.#resampler.feed(Float32Array.from(pcm, (sample) => sample / 32768)));
  }

  #enqueue(samples) {
    if (!samples.length) return;
    this.#queue.push(samples);
    this.#queued += samples.length;
  }

  /** What was cut off falls silent in a few milliseconds: at once, it would click. */
  #silence() {
    const rest = this.#queue[0]?.slice(0, Math.round(FADE_S * sampleRate));
    this.#queue = [];
    this.#queued = 0;
    this.#resampler.reset();
    if (rest) this.#enqueue(rest.map((sample, at) => sample * (1 - at / rest.length)));
  }

  #hush() {
    this.#silence();
    this.#hushedUntil = currentTime + HUSHED_S;
    this.#tell();
  }

  #flush(number) {
    this.#silence();
    this.#hushedUntil = 0;
    this.#received = 0;
    this.#number = number;
  }

  #played(part) {
    for (const sample of part) this.#energy += sample * sample;
    this.#rendered += part.length;
    this.#queued -= part.length;
    if (this.#rendered >= TOLD_EVERY_S * sampleRate || !this.#queued) this.#tell();
  }

  #tell() {
    const waiting = Math.ceil((this.#queued * RATE) / sampleRate);
    const level = this.#rendered ? Math.sqrt(this.#energy / this.#rendered) : 0;
    this.port.postMessage({ played: Math.max(0, this.#received - waiting), number: this.#number, level });
    this.#energy = this.#rendered = 0;
  }
}

registerProcessor("ear", Ear);
registerProcessor("mouth", Mouth);
