// The page: who is logged in, which view is shown, what reaches it live.

import { Alarm } from "/web/alarm.js";
import { call } from "/web/api.js";
import { Live } from "/web/live.js";
import { element, toast, trouble } from "/web/words.js";
import { activities } from "/web/views/activities.js";
import { devices } from "/web/views/devices.js";
import { device } from "/web/views/device.js";
import { emergencies } from "/web/views/emergencies.js";
import { enrolment } from "/web/views/enrolment.js";
import { escalation } from "/web/views/escalation.js";
import { login } from "/web/views/login.js";
import { personas } from "/web/views/personas.js";
import { rollouts } from "/web/views/rollouts.js";

// Each view: `async (place, context, parameter) => { news(message), look(), close() }`, all of them optional.
const VIEWS = { devices, device, activities, enrol: enrolment, personas, rollouts, emergencies, escalation };
const TABS = [["devices", "Devices"], ["activities", "Activities"], ["personas", "Personalities"], ["rollouts", "Rollouts"], ["emergencies", "Emergencies"], ["escalation", "Alarm settings"]];
const PARENTS = { device: "devices", enrol: "devices" };

const place = document.getElementById("view");
const tabs = document.getElementById("tabs");
const chip = document.getElementById("connection");
const banner = document.getElementById("banner");
const logout = document.getElementById("logout");
const alarm = new Alarm();
const live = new Live();
const LOGGED_IN = "fleet-login";
const RANKS = ["viewer", "operator", "admin", "platform"];

let me = null;
let view = null;
let shown = 0;

const context = {
  get me() {
    return me;
  },
  /** Whether who is logged in has a role, or a higher one. */
  may: (role) => RANKS.indexOf(me.role) >= RANKS.indexOf(role),
  go: (hash) => (location.hash = hash),
};

async function show() {
  const turn = ++shown;
  view?.close?.();
  view = null;
  if (!me) {
    place.replaceChildren();
    await login(place, arrive);
    return;
  }
  const [name = "", parameter = ""] = location.hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);
  const chosen = name in VIEWS ? name : "devices";
  for (const link of tabs.querySelectorAll("a")) {
    const current = link.dataset.view === (PARENTS[chosen] ?? chosen);
    link.toggleAttribute("aria-current", current);
    if (!current) continue;
    link.setAttribute("aria-current", "page");
    link.scrollIntoView({ block: "nearest", inline: "center" });
  }
  const panel = element("div", { className: "panel" });
  place.replaceChildren(panel);
  place.dataset.view = chosen;
  try {
    const opened = await VIEWS[chosen](panel, context, parameter);
    if (turn === shown) view = opened;
    else opened?.close?.();
  } catch (error) {
    if (turn !== shown) return;
    const again = element("button", { type: "button", className: "quiet", onclick: show }, "Try again");
    panel.replaceChildren(element("div", { className: "failed", role: "alert" }, element("p", {}, trouble(error)), again));
  }
}

async function arrive(who) {
  me = who;
  localStorage.setItem(LOGGED_IN, "yes");
  tabs.hidden = logout.hidden = chip.hidden = false;
  logout.title = `${me.name}, ${me.role}`;
  tabs.replaceChildren(...TABS.map(([name, words]) => element("a", { href: `#/${name}`, data: { view: name } }, words)));
  showConnection(false);
  live.open();
  await show();
  place.focus({ preventScroll: true });
  await alarm.begin(me).catch(missed);
}

function leave() {
  localStorage.removeItem(LOGGED_IN);
  if (!me) return;
  me = null;
  live.close();
  tabs.hidden = logout.hidden = chip.hidden = banner.hidden = true;
  alarm.begin(null);
  show();
}

function showConnection(connected) {
  chip.dataset.state = connected ? "good" : "bad";
  chip.querySelector(".words").textContent = connected ? "Live" : "Not live";
}

/** The list of emergencies could not be had: people must know that no alarm reaches this page. */
function missed(error) {
  if (!me || error.status === 401) return;
  banner.textContent = "The control plane does not answer: no alarm reaches this page until it does.";
  banner.hidden = false;
}

function look() {
  alarm.look().then(() => (banner.hidden = true), missed);
  view?.look?.();
}

live.addEventListener("state", ({ detail }) => showConnection(detail));
live.addEventListener("look", look);
live.addEventListener("news", ({ detail }) => {
  if (detail.kind === "emergency") {
    const again = detail.type === "alarm" && detail.level > 1; // the first time it is new, and comes forward by itself
    alarm.look().then(() => again && alarm.repeat(), missed);
  }
  if (detail.kind === "enrolled") toast(`${detail.name} is enrolled.`);
  view?.news?.(detail);
});
logout.onclick = async () => {
  try {
    await call("POST", "/logout");
    leave();
  } catch (error) {
    if (me) toast(`This browser is still logged in. ${trouble(error)}`);
  }
};
document.addEventListener("loggedout", leave);
addEventListener("hashchange", show);
addEventListener("online", () => me && live.open());

// Scripts can't see the login, and asking without one is noted as a refusal: so this browser remembers that it had one.
if (localStorage.getItem(LOGGED_IN)) call("GET", "/me").then(arrive, () => show());
else show();
