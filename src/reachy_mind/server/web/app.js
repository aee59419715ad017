// The page: three lines to the mind (chat, events, the robot itself) and the parts that show what comes in on them.

import { Doing } from "./stage/doing.js";
import { Light } from "./stage/light.js";
import { Eye } from "./stage/eye.js";
import { Overlay } from "./stage/overlay.js";
import { Playback } from "./stage/playback.js";
import { Replay } from "./stage/replay.js";
import { Stage } from "./stage/stage.js";
import { stopButton } from "./stop.js";
import { Composer } from "./talk/composer.js";
import { Microphone } from "./talk/microphone.js";
import { Notices } from "./talk/notices.js";
import { Offer } from "./talk/offer.js";
import { Questions } from "./talk/questions.js";
import { SpokenTurns } from "./talk/spoken.js";
import { Tasks } from "./talk/tasks.js";
import { Transcript } from "./talk/transcript.js";
import { Trouble } from "./talk/trouble.js";
import { Voice } from "./voice/voice.js";
import { VIEWS } from "./views/list.js";
import { Views } from "./views/views.js";
import { Wire, ask } from "./wire.js";
import { spoken } from "./words.js";

const TALK = "conversation";
const FIGURE_AGAIN_MS = 2000;

const conversation = {
  get id() {
    return localStorage.getItem(TALK);
  },
  set id(value) {
    if (value) localStorage.setItem(TALK, value);
    else localStorage.removeItem(TALK);
    voice.converse(value);
  },
};

const chat = new Wire(() => `/api/v1/ws/chat${conversation.id ? `?session_id=${encodeURIComponent(conversation.id)}` : ""}`);
const events = new Wire(() => "/api/v1/ws/events");
const robot = new Wire(() => "/api/v1/ws/robot?hz=30", { ticks: true });

const notices = new Notices();
const playback = new Playback();
const replay = new Replay();
const transcript = new Transcript((text) => notices.toast(text, 6000));
const tasks = new Tasks(notices);
const offer = new Offer(notices);
const doing = new Doing();
const light = new Light();
const questions = new Questions(
  (id, approve) => chat.send({ type: "confirm", id, approve }),
  () => playback.clock,
);
const unheard = []; // what was sent and not yet acknowledged: it must not be lost with the line
const composer = new Composer((text) => {
  replay.close(); // who talks to the robot wants to see the robot
  if (chat.send({ type: "say", message: text, session_id: conversation.id ?? voice.session })) return unheard.push(text);
  notices.toast("Not connected yet: your words are kept in the box.");
  return false;
});
const turns = new SpokenTurns((told) => {
  if (told.type === "started") conversation.id = told.session_id; // what is typed next goes on with it
  transcript.told(told);
  composer.suggest(told.type === "done");
});
const microphone = new Microphone(notices, turns);
const faults = new Trouble(notices);
const voice = new Voice(conversation, notices, turns, (told) => transcript.told(told));
stopButton(notices, {
  send(frame) {
    voice.hush();
    replay.close();
    return chat.send(frame);
  },
});

// Talk

chat.addEventListener("told", ({ detail: told }) => {
  if (told.type === "started") {
    conversation.id = told.session_id;
    unheard.splice(0, unheard.indexOf(told.text) + 1);
    composer.suggest(false);
  }
  if (told.type === "notice") notices.toast(`I do this now: ${spoken(told.tool)}`);
  if (told.type === "error" && told.id) notices.toast(told.message);
  transcript.told(told);
  questions.told(told);
  if (told.type === "done" || told.type === "error") composer.suggest(!transcript.isEmpty);
});
chat.addEventListener("open", async () => {
  await recall();
  connected();
});
chat.addEventListener("shut", () => {
  transcript.cut();
  questions.clear();
  composer.restore(unheard.splice(0).join("\n"));
});

async function recall() {
  if (!conversation.id || !transcript.isEmpty) return;
  try {
    const { id } = conversation;
    const { messages } = await ask("GET", `session/${encodeURIComponent(id)}/history?limit=50`);
    if (!transcript.isEmpty || conversation.id !== id) return; // something was said meanwhile
    transcript.recall(messages);
    composer.suggest(!transcript.isEmpty);
    const { feedback } = await ask("GET", `feedback?session_id=${encodeURIComponent(id)}&limit=200`);
    for (const { about, reward, source } of feedback.reverse()) transcript.rated({ turn_id: about.turn, reward, source });
  } catch (trouble) {
    if (trouble.code === "NOT_FOUND") conversation.id = null;
  }
}

document.getElementById("new-talk").addEventListener("click", () => {
  conversation.id = null;
  transcript.clear();
  composer.suggest(false);
  if (!chat.send({ type: "new" })) chat.connect(); // on the same line: it is how people are asked
  composer.focus();
});

// Events

events.addEventListener("told", ({ detail: event }) => {
  doing.heard(event);
  tasks.heard(event);
  offer.heard(event);
  turns.heard(event);
  microphone.heard(event);
  faults.heard(event);
  light.heard(event);
  if (event.type === "FeedbackGiven") transcript.rated(event);
  views.heard(event);
  if (event.type === "TurnStarted" || event.type === "RobotStopped") replay.close();
  if (event.type === "Missed") [tasks, offer, microphone, faults, light].forEach((part) => part.refresh());
});
events.addEventListener("open", () => {
  [tasks, offer, microphone, faults, light].forEach((part) => part.refresh());
  views.connected();
});
events.addEventListener("shut", () => {
  tasks.clear();
  turns.forget();
  microphone.forget();
  doing.forgetCalls();
});

// The robot

robot.addEventListener("told", ({ detail: told }) => {
  if (told.type === "state") {
    playback.add(told);
    doing.moved(told);
    return;
  }
  doing.linked(told);
  document.querySelector(".stage").dataset.link = told.status === "connected" ? "on" : "off";
  if (told.status === "connected") say("good", told.simulated ? "Simulated robot" : told.robot.replaceAll("_", " "));
  else if (told.status === "none") say("good", "Connected, no robot");
  else say("bad", "Robot lost");
  const wrong = chip.dataset.state === "bad";
  notices.stand("robot", wrong && { text: `The robot is not connected: ${told.reason || told.status}.`, hint: told.hint });
});

// How the line stands

const chip = document.getElementById("connection");

function say(state, words) {
  chip.dataset.state = state;
  chip.querySelector(".words").textContent = words;
}

function connected() {
  notices.stand("server", null);
}

robot.addEventListener("shut", ({ detail: silently }) => {
  if (silently) [chat, events].forEach((line) => line.lose());
  doing.forget();
  playback.clear();
  document.querySelector(".stage").dataset.link = "off";
  say("bad", "Not connected");
  notices.stand("robot", null);
  const act = () => [chat, events, robot].forEach((line) => line.isOpen || line.connect());
  const hint = "Is reachy-mind still running? The page tries again every few seconds.";
  notices.stand("server", { text: "The mind does not answer.", hint, kind: "bad", action: "Try now", act });
});
robot.addEventListener("open", () => {
  connected();
  showFigure();
});

// The stage

let stage = null;
try {
  stage = new Stage(document.getElementById("canvas"), () => replay.pose() ?? playback.now());
  document.getElementById("reset-view").addEventListener("click", () => stage.front());
} catch {
  const note = document.getElementById("stage-note");
  note.textContent = "This browser can't draw 3D here (WebGL is off). Everything else works; open “Pose” to see how the robot stands.";
  note.hidden = false;
  document.getElementById("canvas").hidden = document.getElementById("reset-view").hidden = true;
  document.getElementById("numbers").open = true;
}

let shown = "";
let showing = false;

/** The figure that the server has, in place of the one that is shown; asked again while the real one is being made. */
async function showFigure() {
  if (!stage || showing) return;
  showing = true;
  try {
    const figure = await ask("GET", "robot/figure");
    if (figure.urdf !== shown) await stage.show(figure.urdf);
    shown = figure.urdf;
    document.documentElement.dataset.ready = figure.state;
    if (figure.state === "building") setTimeout(showFigure, FIGURE_AGAIN_MS);
  } catch (trouble) {
    if (robot.isOpen) notices.toast(`The robot's figure can't be shown: ${trouble.message}`);
  } finally {
    showing = false;
  }
}

// The look

const THEMES = ["system", "light", "dark"];
const themeButton = document.getElementById("theme");
const themeWords = themeButton.querySelector(".words");

function showTheme(theme) {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  themeWords.textContent = { system: "Auto", light: "Light", dark: "Dark" }[theme];
  themeButton.setAttribute("aria-label", `Colours: ${theme === "system" ? "as the system" : theme}. Change`);
}
showTheme(document.documentElement.dataset.theme ?? "system");
themeButton.addEventListener("click", () => {
  const now = document.documentElement.dataset.theme ?? "system";
  const next = THEMES[(THEMES.indexOf(now) + 1) % THEMES.length];
  localStorage.setItem("theme", next);
  showTheme(next);
});

// The views

const views = new Views(VIEWS, { notices, playback, questions, replay, stage });

/** For tests and measurements: what drawing costs, and how many reports of the robot have come. */
export const cost = () => ({ ...stage?.cost, states: playback.received });
/** And what the voice sent and played. */
export const sound = () => voice.measured;

for (const line of [robot, chat, events]) line.connect();
// The robot first: its camera would take the time that drawing it needs.
showFigure().finally(() => {
  new Eye().watch();
  new Overlay().watch();
});
if (matchMedia("(hover: hover)").matches) composer.focus();
