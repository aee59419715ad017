// Why this device's microphone can't be used, in words, and what to do.

const TOLD = {
  insecure: [
    "This page may not use a microphone here.",
    "Browsers allow that only over https, or on the machine the mind runs on. There, open 127.0.0.1 in place of this address; from a phone, the https address that `reachy-mind run --lan` shows.",
  ],
  old: ["This browser is too old to talk with.", "Firefox, Chrome, Edge or Safari of the last years can."],
  denied: ["Your browser does not let this page use the microphone.", "Allow it at the left of the address bar, or in the browser's settings for this page. Then try again."],
  missing: ["There is no microphone on this device.", "Plug one in, or switch your headset on. Then try again."],
  taken: ["The microphone could not be opened.", "Another program may be using it, or the system does not allow it for this browser. Then try again."],
  lost: ["Your microphone has gone.", "Plug it in again, or choose another one. Then try again."],
  failed: ["Your microphone can't be used.", ""],
};

const KINDS = {
  NotAllowedError: "denied",
  SecurityError: "denied",
  NotFoundError: "missing",
  OverconstrainedError: "missing",
  NotReadableError: "taken",
  AbortError: "taken",
};

/** `message` says what is wrong, `hint` what to do, `kind` which it is. */
export class Obstacle extends Error {
  constructor(kind, { message = TOLD[kind][0], hint = TOLD[kind][1] } = {}) {
    super(message);
    this.kind = kind;
    this.hint = hint;
  }
}

/** Of what a browser said. */
export function obstacleOf(error) {
  if (error instanceof Obstacle) return error;
  const kind = KINDS[error.name] ?? "failed";
  return kind === "failed" ? new Obstacle(kind, { hint: `${error.name}: ${error.message}` }) : new Obstacle(kind);
}
