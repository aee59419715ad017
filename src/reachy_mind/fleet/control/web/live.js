// What happens, as it happens: Server-Sent Events, with looks at the lists where they don't get through.

const QUIET_LOOK_MS = 15_000;
const ANXIOUS_LOOK_MS = 4_000;
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 15_000;

/**
 * Events: `news` (detail: the message), `look` (ask the lists again: it just connected, or some news may be lost),
 * `state` (detail: whether it is connected).
 */
export class Live extends EventTarget {
  #source = null;
  #retry = 0;
  #look = 0;
  #delay = FIRST_RETRY_MS;
  connected = false;

  open() {
    this.close();
    this.#connect();
    this.#lookSoon();
  }

  close() {
    this.#source?.close();
    this.#source = null;
    clearTimeout(this.#retry);
    clearTimeout(this.#look);
    this.#tell(false);
  }

  #connect() {
    const source = new EventSource("/fleet/v1/live");
    this.#source = source;
    source.onopen = () => {
      this.#delay = FIRST_RETRY_MS;
      this.#tell(true);
      this.dispatchEvent(new Event("look"));
    };
    source.onmessage = ({ data }) => {
      const message = JSON.parse(data);
      if (message.kind === "missed") this.dispatchEvent(new Event("look"));
      else this.dispatchEvent(new CustomEvent("news", { detail: message }));
    };
    source.onerror = () => {
      // By itself it tries again only after some errors; here after all of them, less and less often.
      source.close();
      if (this.#source !== source) return;
      this.#tell(false);
      this.#lookSoon();
      this.#retry = setTimeout(() => this.#connect(), this.#delay * (0.5 + Math.random()));
      this.#delay = Math.min(2 * this.#delay, LAST_RETRY_MS);
    };
  }

  /** A connection can be dead without a sign of it, so the lists are looked at from time to time in any case. */
  #lookSoon() {
    clearTimeout(this.#look);
    this.#look = setTimeout(() => {
      this.dispatchEvent(new Event("look"));
      this.#lookSoon();
    }, this.connected ? QUIET_LOOK_MS : ANXIOUS_LOOK_MS);
  }

  #tell(connected) {
    if (connected === this.connected) return;
    this.connected = connected;
    this.dispatchEvent(new CustomEvent("state", { detail: connected }));
  }
}
