// Loaders that urdf-loader names but our figures never need: they are made of GLB meshes and simple shapes.

class Absent {
  constructor() {
    throw new Error("figures of the page have GLB meshes only");
  }
}
export { Absent as STLLoader, Absent as ColladaLoader };
