// A hand on the head: where a pointer takes hold of the figure, and where it then wants the head to look.

import { Raycaster, Vector2, Vector3 } from "three";

const REACH = 0.12;
const FURTHEST = { yaw: 150, pitch: 40 };

export class Grip {
  #canvas;
  #stage;
  #moved;
  #on = false;
  #from = null;
  #base = null;

  /** @param moved is told {yaw, pitch} in degrees while the head is dragged @param stage gives what can be held */
  constructor(canvas, stage, moved) {
    this.#canvas = canvas;
    this.#stage = stage;
    this.#moved = moved;
    // Before the view is turned by the same pointer.
    canvas.addEventListener("pointerdown", (event) => this.#take(event), { capture: true });
    canvas.addEventListener("pointermove", (event) => this.#pull(event));
    for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) canvas.addEventListener(end, () => this.#loose());
  }

  /** Whether a hand may take hold; `base` gives where the head is meant to be, {yaw, pitch}. */
  allow(base) {
    this.#on = Boolean(base);
    this.#base = base;
    this.#canvas.classList.toggle("grippable", this.#on);
    if (!this.#on) this.#loose();
  }

  #take(event) {
    if (!this.#on || !this.#stage.hold || !event.isPrimary || event.button) return;
    const hit = this.#ray(event).intersectObject(this.#stage.hold.head, true);
    if (!hit.length) return;
    event.preventDefault();
    this.#stage.hold.controls.enabled = false;
    try {
      this.#canvas.setPointerCapture(event.pointerId);
    } catch {
      // The pointer is gone already.
    }
    this.#from = { ...this.#base(), held: this.#direction(event) };
    this.#canvas.classList.add("gripped");
  }

  #pull(event) {
    if (!this.#from) return;
    const { yaw, pitch, held } = this.#from;
    const now = this.#direction(event);
    const turned = ((now.yaw - held.yaw + 540) % 360) - 180;
    this.#moved({ yaw: within(yaw + turned, FURTHEST.yaw), pitch: within(pitch + now.pitch - held.pitch, FURTHEST.pitch) });
  }

  #loose() {
    if (!this.#from) return;
    this.#from = null;
    this.#canvas.classList.remove("gripped");
    if (this.#stage.hold) this.#stage.hold.controls.enabled = true;
  }

  #ray({ clientX, clientY }) {
    const { left, top, width, height } = this.#canvas.getBoundingClientRect();
    const at = new Vector2(((clientX - left) / width) * 2 - 1, 1 - ((clientY - top) / height) * 2);
    const ray = new Raycaster();
    ray.setFromCamera(at, this.#stage.hold.camera);
    return ray;
  }

  /** Where on a ball around the head the pointer is, as seen from its middle; beside the ball, the nearest point of it. */
  #direction(event) {
    const { head, holder } = this.#stage.hold;
    const { ray } = this.#ray(event);
    const middle = head.getWorldPosition(new Vector3());
    const along = middle.clone().sub(ray.origin).dot(ray.direction);
    const near = ray.at(along, new Vector3());
    const away = near.distanceTo(middle);
    if (away < REACH) near.addScaledVector(ray.direction, -Math.sqrt(REACH ** 2 - away ** 2));
    const place = holder.worldToLocal(near).sub(holder.worldToLocal(middle));
    const degrees = 180 / Math.PI;
    return { yaw: Math.atan2(place.y, place.x) * degrees, pitch: -Math.atan2(place.z, Math.hypot(place.x, place.y)) * degrees };
  }
}

const within = (value, most) => Math.min(most, Math.max(-most, value));
