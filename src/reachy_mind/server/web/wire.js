// The line to the mind: sockets that come back by themselves, and plain requests. Everything the page knows comes from here.

const FIRST_PAUSE_MS = 300;
const LONGEST_PAUSE_MS = 5000;
const SILENCE_MS = 12000;

/** A WebSocket that reconnects, each time to what `route()` says. Events: `open`, `shut` {detail: whether by silence}, `told` {detail}, `sound` {detail}: a binary frame. */
export class Wire extends EventTarget {
  #route;
  #socket = null;
  #pause = FIRST_PAUSE_MS;
  #timer = 0;
  #heardAt = 0;

  /** @param ticks whether something comes all the time, so that silence means the line is dead */
  constructor(route, { ticks = false } = {}) {
    super();
    this.#route = route;
    if (ticks) setInterval(() => this.#listenForSilence(), 2000);
  }

  get isOpen() {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  connect() {
    clearTimeout(this.#timer);
    this.#drop();
    const socket = new WebSocket(new URL(this.#route(), location.href.replace(/^http/, "ws")));
    socket.binaryType = "arraybuffer";
    this.#socket = socket;
    this.#heardAt = performance.now();
    socket.addEventListener("open", () => {
      if (this.#socket !== socket) return;
      this.#pause = FIRST_PAUSE_MS;
      this.dispatchEvent(new Event("open"));
    });
    socket.addEventListener("message", (event) => {
      if (this.#socket !== socket) return;
      this.#heardAt = performance.now();
      const isText = typeof event.data === "string";
      this.dispatchEvent(new CustomEvent(isText ? "told" : "sound", { detail: isText ? JSON.parse(event.data) : event.data }));
    });
    socket.addEventListener("close", () => {
      if (this.#socket === socket) this.#retry();
    });
  }

  /** What is not heard on another line of the same server won't be heard on this one: begin anew. */
  lose(silently = false) {
    if (!this.#socket) return;
    this.#drop();
    this.#retry(silently);
  }

  /** For good: until `connect`. */
  close() {
    clearTimeout(this.#timer);
    this.#drop();
  }

  /** Whether it went out. */
  send(frame) {
    if (!this.isOpen) return false;
    this.#socket.send(frame instanceof ArrayBuffer ? frame : JSON.stringify(frame));
    return true;
  }

  #retry(silently = false) {
    this.#socket = null;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.connect(), this.#pause * (0.7 + Math.random() * 0.3));
    this.#pause = Math.min(this.#pause * 1.7, LONGEST_PAUSE_MS);
    this.dispatchEvent(new CustomEvent("shut", { detail: silently }));
  }

  #drop() {
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
  }

  #listenForSilence() {
    if (this.isOpen && performance.now() - this.#heardAt > SILENCE_MS && !document.hidden) this.lose(true);
  }
}

/** What went wrong, in the words of the server: `message`, and what to do, `hint`. */
export class Trouble extends Error {
  constructor({ code = "ERROR", message = "something went wrong", hint = "" }) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

/** A request to /api/v1; the answer's JSON, or its blob where it is none. Throws Trouble, also after `patience` ms. */
export async function ask(method, route, content, patience) {
  const request = { method, headers: {}, cache: "no-store" };
  if (patience) request.signal = AbortSignal.timeout(patience);
  if (content !== undefined) {
    request.headers["Content-Type"] = "application/json";
    request.body = JSON.stringify(content);
  }
  let answer;
  try {
    answer = await fetch(`/api/v1/${route}`, request);
  } catch {
    throw new Trouble({ code: "UNREACHABLE", message: "the mind does not answer", hint: "is reachy-mind still running?" });
  }
  const isJson = answer.headers.get("Content-Type")?.startsWith("application/json");
  if (answer.ok) return isJson ? answer.json() : answer.blob();
  throw new Trouble(isJson ? (await answer.json()).error : { message: `the server answered ${answer.status}` });
}
