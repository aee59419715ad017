// The stage: lights, floor, the figure and the eye of whoever looks. Draws only when something has changed.

import {
  AmbientLight,
  CanvasTexture,
  DirectionalLight,
  Group,
  HemisphereLight,
  Mesh,
  MeshBasicMaterial,
  NeutralToneMapping,
  PerspectiveCamera,
  PlaneGeometry,
  Scene,
  Spherical,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { Figure, samples } from "./figure.js";

const CENTRE = new Vector3(0, 0.205, 0);
const FRONT = new Vector3(0.34, 0.2, 0.92).normalize();
const FRAME = { height: 0.5, width: 0.44 };
const SLOW_FRAME_MS = 45;
const PAUSE_MS = 400;
const COARSEST = 0.5;
const STILL = 1e-4;
const FRAME_MS = 30;
/** How it stands before the first report: upright, with the motors where that takes them. */
export const RESTING = [0, 0, 0, 0, 0, 0, 0, 0.17, -0.17, 0, 0.627, -0.627, 0.627, -0.627, 0.627, -0.627];

export class Stage {
  #canvas;
  #renderer;
  #scene = new Scene();
  #camera = new PerspectiveCamera(28, 1, 0.05, 10);
  #controls;
  #holder = new Group();
  #figure = null;
  #shown = null;
  #dirty = true;
  #sharpness = Math.min(window.devicePixelRatio, 2);
  #frames = [];
  #drawn = 0;
  #drawnAt = 0;
  #pose;

  /** @param pose what to show now: a function that gives sixteen numbers, or null. Throws where there is no WebGL. */
  constructor(canvas, pose) {
    this.#canvas = canvas;
    this.#pose = pose;
    this.#renderer = new WebGLRenderer({ canvas, alpha: true, antialias: true, powerPreference: "low-power" });
    this.#renderer.toneMapping = NeutralToneMapping;
    this.#scene.add(this.#holder, floor(), ...lights());
    this.#holder.rotation.x = -Math.PI / 2; // the robot's up is z, the page's is y
    this.#holder.rotation.z = -Math.PI / 2; // and its front is x: towards us
    this.#controls = this.#watch();
    new ResizeObserver(() => this.#resize()).observe(canvas.parentElement);
    canvas.addEventListener("keydown", (event) => this.#steer(event));
    this.#resize();
    this.front();
    this.#renderer.compile(samples(), this.#camera, this.#scene);
    requestAnimationFrame((at) => this.#draw(at));
  }

  /** Shows the figure at this address in place of the one before; returns when it can be seen. */
  async show(url) {
    const figure = await Figure.load(url);
    figure.pose(this.#pose() ?? RESTING);
    // Where shaders can be made beside the page's own work, wait for that; elsewhere it would only add a delay.
    if (this.#renderer.extensions.has("KHR_parallel_shader_compile")) {
      await this.#renderer.compileAsync(figure.object, this.#camera, this.#scene);
    }
    this.#figure?.dispose();
    this.#figure = figure;
    this.#shown = null;
    this.#holder.add(figure.object);
    this.#dirty = true;
    await seen();
  }

  /** What a hand needs to take hold of the figure; null while there is none. */
  get hold() {
    return this.#figure && { camera: this.#camera, holder: this.#holder, head: this.#figure.head, controls: this.#controls };
  }

  /** How much it takes to draw: what a budget is kept on. */
  get cost() {
    const { calls, triangles } = this.#renderer.info.render;
    const { geometries, textures } = this.#renderer.info.memory;
    return { calls, triangles, geometries, textures, sharpness: this.#sharpness, frames: this.#drawn };
  }

  /** The view from the front. */
  front() {
    const slope = Math.tan((this.#camera.fov * Math.PI) / 360);
    const away = Math.max(FRAME.height, FRAME.width / this.#camera.aspect) / 2 / slope;
    this.#camera.position.copy(FRONT).multiplyScalar(away).add(CENTRE);
    this.#controls.target.copy(CENTRE);
    this.#controls.update();
    this.#dirty = true;
  }

  #watch() {
    const controls = new OrbitControls(this.#camera, this.#canvas);
    Object.assign(controls, { enablePan: false, minDistance: 0.45, maxDistance: 2.5, minPolarAngle: 0.35, maxPolarAngle: 1.62 });
    controls.enableDamping = !matchMedia("(prefers-reduced-motion: reduce)").matches;
    controls.addEventListener("change", () => (this.#dirty = true));
    return controls;
  }

  /** Arrow keys walk round the robot, plus and minus come closer and go away. */
  #steer(event) {
    const steps = { ArrowLeft: [-0.15, 0, 1], ArrowRight: [0.15, 0, 1], ArrowUp: [0, -0.1, 1], ArrowDown: [0, 0.1, 1], "+": [0, 0, 0.88], "-": [0, 0, 1.14] };
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    const { minPolarAngle, maxPolarAngle, minDistance, maxDistance } = this.#controls;
    const around = new Spherical().setFromVector3(this.#camera.position.clone().sub(CENTRE));
    around.theta += step[0];
    around.phi = Math.min(maxPolarAngle, Math.max(minPolarAngle, around.phi + step[1]));
    around.radius = Math.min(maxDistance, Math.max(minDistance, around.radius * step[2]));
    this.#camera.position.setFromSpherical(around).add(CENTRE);
    this.#controls.update();
  }

  #resize() {
    const { clientWidth: width, clientHeight: height } = this.#canvas.parentElement;
    if (!width || !height) return;
    this.#renderer.setPixelRatio(this.#sharpness);
    this.#renderer.setSize(width, height, false);
    this.#camera.aspect = width / height;
    this.#camera.updateProjectionMatrix();
    this.#dirty = true;
  }

  #draw(at) {
    requestAnimationFrame((next) => this.#draw(next));
    this.#controls.update();
    // Reports come every 33 ms: to draw more often than that is work nobody sees, unless somebody turns the view.
    const values = at - this.#drawnAt > FRAME_MS ? this.#pose() : null;
    if (this.#figure && values && this.#differs(values)) {
      this.#shown = values;
      this.#figure.pose(values);
      this.#dirty = true;
    }
    if (!this.#dirty || !this.#canvas.clientWidth) return; // nothing new, or nobody can see it
    this.#dirty = false;
    this.#drawn += 1;
    this.#drawnAt = at;
    this.#renderer.render(this.#scene, this.#camera);
    this.#keepUp(at);
  }

  #differs(values) {
    return !this.#shown || values.some((value, index) => Math.abs(value - this.#shown[index]) > STILL);
  }

  /** A machine that can't keep up gets a coarser picture rather than a stuttering one. */
  #keepUp(at) {
    if (at - this.#frames.at(-1) > PAUSE_MS) this.#frames.length = 0; // nothing moved, or nobody looked
    this.#frames.push(at);
    if (this.#frames.length < 20) return;
    const mean = (at - this.#frames[0]) / (this.#frames.length - 1);
    this.#frames.length = 0;
    if (mean > SLOW_FRAME_MS && this.#sharpness > COARSEST) {
      this.#sharpness = Math.max(COARSEST, this.#sharpness * 0.75);
      this.#resize();
    }
  }
}

/** Until what was just changed has been drawn. */
async function seen() {
  for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
}

function lights() {
  const key = new DirectionalLight(0xfff8ee, 2.7);
  key.position.set(0.8, 1.4, 1.2);
  const rim = new DirectionalLight(0xcfe8ff, 1.5);
  rim.position.set(-1, 1.1, -1);
  return [key, rim, new HemisphereLight(0xffffff, 0xc8b899, 1.3), new AmbientLight(0xffffff, 0.2)];
}

/** A soft round shadow: all that is needed to stand on something. */
function floor() {
  const size = 128;
  const paper = Object.assign(document.createElement("canvas"), { width: size, height: size });
  const brush = paper.getContext("2d");
  const shade = brush.createRadialGradient(size / 2, size / 2, 6, size / 2, size / 2, size / 2);
  shade.addColorStop(0, "rgba(0,0,0,0.5)");
  shade.addColorStop(0.45, "rgba(0,0,0,0.22)");
  shade.addColorStop(1, "rgba(0,0,0,0)");
  brush.fillStyle = shade;
  brush.fillRect(0, 0, size, size);
  const material = new MeshBasicMaterial({ map: new CanvasTexture(paper), transparent: true, depthWrite: false });
  const shadow = new Mesh(new PlaneGeometry(0.46, 0.46), material);
  shadow.rotation.x = -Math.PI / 2;
  shadow.position.y = 0.0005;
  return shadow;
}
