// The content of the page: the surface with its fields, and the interface at each time.

/** The name of the choice without colors. */
const PLAIN = "plain";

/** Returns the fields that follow from the positions of the vertices. */
function coordinateFields(points) {
  const n = points.length / 3;
  return ["x", "y", "z"].map((name, c) => {
    const values = Float64Array.from({ length: n }, (_, v) => points[3 * v + c]);
    const [low, high] = values.reduce(
      ([low, high], x) => [Math.min(low, x), Math.max(high, x)],
      [Infinity, -Infinity],
    );
    const range = high > low ? [low, high] : [low - 1, low + 1];
    const field = { kind: "values", name, unit: "", map: "sequential", range, states: [values] };
    return { ...field, isPosition: true };
  });
}

/** A triangulated surface: its geometry, and the fields that can color it. */
class Surface {
  constructor(buffer, packed) {
    this.points = readPoints(buffer, packed.points);
    this.triangles = readNumbers(buffer, packed.triangles);
    this.names = packed.names ? readNumbers(buffer, packed.names) : null;
    this.isOpen = packed.isOpen;
    this.isFlat = packed.isFlat;
    const fields = packed.fields.map((field) => this.field(buffer, field));
    this.fields = [...fields, { kind: "plain", name: PLAIN }, ...coordinateFields(this.points)];
    this.geometry = trianglesOf(this.points, this.triangles);
    this.boundary = boundaryOf(this.triangles, this.points.length / 3);
  }

  field(buffer, field) {
    switch (field.kind) {
      case "values":
        return { ...field, states: field.states.map((state) => readValues(buffer, state)) };
      case "labels":
        return { ...field, of: readNumbers(buffer, field.of) };
      default:
        return { ...field, bytes: new Uint8Array(buffer, field.at, this.points.length) };
    }
  }

  /** Prepares the geometry for a field, with the values of a state if they change. */
  show(field, state) {
    if (field.kind === "values") {
      setValues(this.geometry, this.triangles, valuesAt(field, state));
    } else if (field.kind === "labels") {
      const labelOf = field.isOfCells ? (_, t) => field.of[t] : (v) => field.of[v];
      setLabels(this.geometry, this.triangles, labelOf);
    } else if (field.kind === "paint") {
      setPaint(this.geometry, this.triangles, field.bytes);
    }
  }

  /** Returns the number of a vertex in the file. */
  nameOf(vertex) {
    return this.names ? this.names[vertex] : vertex;
  }
}

/** Returns the values of a field in a state. */
function valuesAt(field, state) {
  return field.states[Math.min(state, field.states.length - 1)];
}

/** Returns the text that describes a field at a vertex or in a triangle. */
function describe(field, vertex, triangle, state) {
  if (field.kind === "values") {
    const value = valuesAt(field, state)[vertex];
    return short(value) + (field.unit && Number.isFinite(value) ? ` ${field.unit}` : "");
  }
  const label = field.labels[field.of[field.isOfCells ? triangle : vertex]];
  return label ? label.name : "no label";
}

/** Returns the direction to the eye and the direction upward as vectors. */
function directionsOf({ toward, up }) {
  return [new THREE.Vector3(...toward).normalize(), new THREE.Vector3(...up).normalize()];
}
