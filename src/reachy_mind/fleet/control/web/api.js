// The REST API. The login is a cookie that scripts can't read.

/** What the server refuses, in its own words. */
export class Refused extends Error {
  constructor(status, { code = "ERROR", message = "The server refused.", hint = "" } = {}) {
    super(message);
    Object.assign(this, { status, code, hint });
  }
}

let skew = 0;

/** Now, in milliseconds, by the server's clock: that of this computer may be wrong. */
export const now = () => Date.now() + skew;

/** Call a route with JSON or a sound file: its JSON, or null without any. Throws Refused, and TypeError when there is no server. */
export async function call(method, path, body) {
  const answer = await ask(method, path, body);
  return answer.status === 204 ? null : answer.json();
}

/** The same for an answer that is text. */
export async function callForText(method, path, body) {
  return (await ask(method, path, body)).text();
}

/** An address with parameters; those without a value are left out. */
export function address(path, parameters) {
  const given = Object.entries(parameters).filter(([, value]) => value !== "" && value !== null && value !== undefined);
  return given.length ? `${path}?${new URLSearchParams(given)}` : path;
}

async function ask(method, path, body) {
  const isFile = body instanceof Blob;
  const answer = await fetch(`/fleet/v1${path}`, {
    method,
    headers: body === undefined ? {} : { "Content-Type": isFile ? "audio/wav" : "application/json" },
    body: body === undefined || isFile ? body : JSON.stringify(body),
    signal: AbortSignal.timeout(20_000),
  });
  const at = Date.parse(answer.headers.get("date") ?? "");
  // Its header has whole seconds: a clock that is about right is taken as right.
  if (at && Math.abs(at - Date.now()) > 5000) skew = at - Date.now();
  if (answer.ok) return answer;
  const told = await answer.json().catch(() => ({}));
  if (answer.status === 401 && path !== "/login") document.dispatchEvent(new Event("loggedout"));
  throw new Refused(answer.status, told.error);
}
