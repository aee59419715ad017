// The robot's figure: a URDF with GLB meshes, or of simple shapes; sixteen numbers put it into a pose.

import { BufferAttribute, BufferGeometry, CanvasTexture, Euler, Group, Matrix4, Mesh, MeshLambertMaterial, MeshMatcapMaterial, Quaternion, SphereGeometry, SRGBColorSpace, Vector3 } from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import { mergeGeometries } from "three/addons/utils/BufferGeometryUtils.js";
import URDFLoader from "urdf-loader";

const LEGS = [1, 2, 3, 4, 5, 6];
const UP = new Vector3(0, 0, 1);

export class Figure {
  #robot;
  #head;
  #headOrigin;
  #legs;

  constructor(robot) {
    this.#robot = robot;
    this.#head = robot.joints.head;
    this.#headOrigin = new Matrix4().compose(this.#head.position, this.#head.quaternion, new Vector3(1, 1, 1));
    this.#legs = LEGS.map((leg) => ({
      motor: robot.joints[`stewart_${leg}`],
      tip: robot.links[`arm_tip_${leg}`],
      ball: robot.links[`head_ball_${leg}`],
      rod: robot.joints[`rod_${leg}`],
    }));
  }

  /** Loads a figure with all its meshes. */
  static async load(url) {
    const shapes = new Map();
    const meshes = [];
    const gltf = new GLTFLoader();
    const loader = new URDFLoader();
    loader.loadMeshCb = (path, _manager, _material, done) => {
      if (!shapes.has(path)) shapes.set(path, gltf.loadAsync(path));
      meshes.push(shapes.get(path).then(({ scene }) => done(scene.clone())));
    };
    const robot = await loader.loadAsync(url);
    await Promise.all(meshes);
    const { glass, plastic } = materials();
    robot.traverse((part) => {
      if (part.isMesh && !part.material.isMeshPhongMaterial) part.material = part.material.name === "glass" ? glass : plastic;
    });
    for (const link of Object.values(robot.links)) mergeShapes(link, plastic);
    return new Figure(robot);
  }

  get object() {
    return this.#robot;
  }

  /** All that moves with the head. */
  get head() {
    return this.#head;
  }

  /** Takes it off the stage, and its shapes out of the graphics memory. */
  dispose() {
    this.#robot.removeFromParent();
    this.#robot.traverse((part) => part.geometry?.dispose());
  }

  /** x y z roll pitch yaw body_yaw antenna_left antenna_right, then the joints: body and six motors. */
  pose([x, y, z, roll, pitch, yaw, bodyYaw, left, right, , ...motors]) {
    const robot = this.#robot;
    robot.joints.yaw_body.setJointValue(bodyYaw);
    robot.joints.left_antenna.setJointValue(left);
    robot.joints.right_antenna.setJointValue(right);
    const turned = new Quaternion().setFromEuler(new Euler(roll, pitch, yaw, "ZYX"));
    new Matrix4()
      .compose(new Vector3(x, y, z), turned, new Vector3(1, 1, 1))
      .premultiply(this.#headOrigin)
      .decompose(this.#head.position, this.#head.quaternion, this.#head.scale);
    this.#legs.forEach((leg, index) => leg.motor.setJointValue(motors[index]));
    robot.updateMatrixWorld(true);
    this.#legs.forEach((leg) => this.#reach(leg));
  }

  /** A rod goes from the end of its arm to its ball under the head. */
  #reach({ tip, ball, rod }) {
    const from = rod.parent.worldToLocal(tip.getWorldPosition(new Vector3()));
    const to = rod.parent.worldToLocal(ball.getWorldPosition(new Vector3()));
    rod.position.copy(from);
    rod.quaternion.setFromUnitVectors(UP, to.sub(from).normalize());
    rod.updateMatrixWorld(true);
  }
}

let made = null;

/** What figures are made of: two materials, so two programs for the graphics processor. */
function materials() {
  made ??= { glass: lens(), plastic: new MeshLambertMaterial({ vertexColors: true }) };
  return made;
}

/** A triangle of each material: with it the programs can be made while the meshes are still on their way. */
export function samples() {
  const shape = new BufferGeometry();
  shape.setAttribute("position", new BufferAttribute(new Float32Array(9), 3));
  shape.setAttribute("normal", new BufferAttribute(new Float32Array(9), 3));
  shape.setAttribute("color", new BufferAttribute(new Uint8Array(12), 4, true));
  return new Group().add(...Object.values(materials()).map((material) => new Mesh(shape, material)));
}

/** The simple shapes of a link as one mesh: a figure of seventy shapes would take seventy draw calls. */
function mergeShapes(link, material) {
  const visuals = link.children.filter((child) => child.isURDFVisual);
  const shapes = visuals.flatMap((visual) => visual.children.filter((child) => child.material?.isMeshPhongMaterial));
  if (!shapes.length) return;
  link.updateWorldMatrix(true, true);
  const home = link.matrixWorld.clone().invert();
  const pieces = shapes.map((shape) => {
    const coarse = shape.geometry.type === "SphereGeometry" ? new SphereGeometry(shape.geometry.parameters.radius, 20, 14) : shape.geometry.clone();
    const piece = coarse.applyMatrix4(new Matrix4().multiplyMatrices(home, shape.matrixWorld));
    const { r, g, b } = shape.material.color;
    const count = piece.attributes.position.count;
    return piece.setAttribute("color", new BufferAttribute(Float32Array.from({ length: count * 3 }, (_, index) => [r, g, b][index % 3]), 3));
  });
  visuals.forEach((visual) => visual.removeFromParent());
  link.add(new Mesh(mergeGeometries(pieces), material));
}

/** Dark glass with a window and a sky in it, painted: real reflections would cost more than all the rest. */
function lens() {
  const size = 128;
  const paper = Object.assign(document.createElement("canvas"), { width: size, height: size });
  const brush = paper.getContext("2d");
  const sky = brush.createLinearGradient(0, 0, 0, size);
  sky.addColorStop(0, "#3b4a57");
  sky.addColorStop(0.45, "#0d1114");
  sky.addColorStop(1, "#1d1813");
  brush.fillStyle = sky;
  brush.fillRect(0, 0, size, size);
  brush.filter = "blur(2px)";
  brush.fillStyle = "#ffffff";
  brush.beginPath();
  brush.ellipse(size * 0.42, size * 0.36, size * 0.055, size * 0.075, -0.5, 0, 2 * Math.PI);
  brush.ellipse(size * 0.58, size * 0.62, size * 0.02, size * 0.026, -0.5, 0, 2 * Math.PI);
  brush.fill();
  const matcap = new CanvasTexture(paper);
  matcap.colorSpace = SRGBColorSpace;
  return new MeshMatcapMaterial({ matcap });
}
