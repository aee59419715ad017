// Stop: a button that is always in reach, and Escape pressed twice. It goes out by two ways: on the open socket, which
// nothing queues up, and as a request, whose answer says that it was done.

import { ask } from "./wire.js";

const TWICE_MS = 1200;
const PATIENCE_MS = 4000;

/** @param notices to tell how it went @param chat the chat socket */
export function stopButton(notices, chat) {
  const button = document.getElementById("stop");
  let escapedAt = -Infinity;

  async function stop() {
    button.classList.add("pressed");
    chat.send({ type: "stop" });
    try {
      await ask("POST", "robot/stop", undefined, PATIENCE_MS);
      notices.toast("Stopped.");
    } catch (trouble) {
      if (trouble.code === "NOT_READY") notices.toast("Stopped: there is no robot to move.");
      else notices.alarm(`Stop did not get through: ${trouble.message}.`, trouble.hint);
    } finally {
      button.classList.remove("pressed");
    }
  }

  button.addEventListener("click", stop);
  addEventListener(
    "keydown",
    (event) => {
      if (event.key !== "Escape" || event.repeat) return;
      const twice = event.timeStamp - escapedAt < TWICE_MS;
      escapedAt = twice ? -Infinity : event.timeStamp;
      if (twice) stop();
      else notices.toast("Press Escape again to stop.", TWICE_MS);
    },
    { capture: true },
  );
}
