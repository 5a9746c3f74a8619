// Geometry for the shaders: triangles with normals, values and labels; boundaries; segments.

/** The cosine of the largest angle between triangles that are shaded as one smooth surface. */
const SMOOTH = Math.cos((65 * Math.PI) / 180);

/** Returns the normals of triangles `[m][3]`. The length of a normal is twice the area. */
function facets(points, triangles) {
  const normals = new Float32Array(triangles.length);
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [3 * triangles[t], 3 * triangles[t + 1], 3 * triangles[t + 2]];
    const [ux, uy, uz] = [0, 1, 2].map((k) => points[b + k] - points[a + k]);
    const [vx, vy, vz] = [0, 1, 2].map((k) => points[c + k] - points[a + k]);
    normals[t] = uy * vz - uz * vy;
    normals[t + 1] = uz * vx - ux * vz;
    normals[t + 2] = ux * vy - uy * vx;
  }
  return normals;
}

/** Lists the triangles around each vertex: those of vertex v are `list[first[v] .. first[v+1]]`. */
function around(triangles, n) {
  const first = new Uint32Array(n + 1);
  for (const v of triangles) first[v + 1]++;
  for (let v = 0; v < n; v++) first[v + 1] += first[v];
  const next = first.slice(0, n);
  const list = new Uint32Array(triangles.length);
  for (let k = 0; k < triangles.length; k++) list[next[triangles[k]]++] = 3 * Math.floor(k / 3);
  return { first, list };
}

/**
 * Returns the normal at each corner of each triangle `[3 m][3]`. It is the mean normal of those
 * triangles around the vertex that form only a small angle with this triangle. Sharp edges
 * therefore stay sharp.
 */
function cornerNormals(points, triangles) {
  const flat = facets(points, triangles);
  const { first, list } = around(triangles, points.length / 3);
  const normals = new Float32Array(3 * triangles.length);
  const lengths = new Float32Array(triangles.length / 3);
  for (let t = 0; t < triangles.length; t += 3) {
    lengths[t / 3] = Math.hypot(flat[t], flat[t + 1], flat[t + 2]);
  }
  for (let k = 0; k < triangles.length; k++) {
    const t = 3 * Math.floor(k / 3);
    const [nx, ny, nz] = [flat[t], flat[t + 1], flat[t + 2]];
    const size = lengths[t / 3] * SMOOTH;
    let [x, y, z] = [0, 0, 0];
    const v = triangles[k];
    for (let i = first[v]; i < first[v + 1]; i++) {
      const s = list[i];
      const along = nx * flat[s] + ny * flat[s + 1] + nz * flat[s + 2];
      if (s === t || along > size * lengths[s / 3]) {
        x += flat[s];
        y += flat[s + 1];
        z += flat[s + 2];
      }
    }
    const length = Math.hypot(x, y, z) || 1;
    normals.set([x / length, y / length, z / length], 3 * k);
  }
  return normals;
}

/** Returns triangles that share no vertices, with their normals. */
function trianglesOf(points, triangles) {
  const corners = new Float32Array(3 * triangles.length);
  for (let k = 0; k < triangles.length; k++) {
    const v = 3 * triangles[k];
    corners.set([points[v], points[v + 1], points[v + 2]], 3 * k);
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(corners, 3));
  const normals = cornerNormals(points, triangles);
  geometry.setAttribute("normal", new THREE.BufferAttribute(normals, 3));
  return geometry;
}

/** Sets the values of vertices as an attribute of the corners: the value, and 1 if it is finite. */
function setValues(geometry, triangles, values) {
  const pairs = new Float32Array(2 * triangles.length);
  for (let k = 0; k < triangles.length; k++) {
    const value = values[triangles[k]];
    if (Number.isFinite(value)) pairs.set([value, 1], 2 * k);
  }
  geometry.setAttribute("value", new THREE.BufferAttribute(pairs, 2));
}

/** Sets the labels of the three corners of each triangle, the same at each of its corners. */
function setLabels(geometry, triangles, labelOf) {
  const tags = new Float32Array(3 * triangles.length);
  for (let t = 0; t < triangles.length; t += 3) {
    const three = [0, 1, 2].map((k) => labelOf(triangles[t + k], t / 3));
    for (let k = 0; k < 3; k++) tags.set(three, 3 * (t + k));
  }
  geometry.setAttribute("tags", new THREE.BufferAttribute(tags, 3));
}

/** Sets colors of vertices, in linear light, so that they mix as light does. */
function setPaint(geometry, triangles, bytes) {
  const light = Float32Array.from({ length: 256 }, (_, k) => {
    const c = k / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  const paint = new Float32Array(3 * triangles.length);
  for (let k = 0; k < triangles.length; k++) {
    for (let c = 0; c < 3; c++) paint[3 * k + c] = light[bytes[3 * triangles[k] + c]];
  }
  geometry.setAttribute("paint", new THREE.BufferAttribute(paint, 3));
}

/** Returns the ends of the edges that belong to only one triangle, two vertices per edge. */
function boundaryOf(triangles, n) {
  const keys = new Float64Array(triangles.length);
  for (let k = 0; k < triangles.length; k++) {
    const t = 3 * Math.floor(k / 3);
    const [a, b] = [triangles[k], triangles[t + ((k + 1) % 3)]];
    keys[k] = Math.min(a, b) * n + Math.max(a, b);
  }
  keys.sort();
  const ends = [];
  for (let k = 0; k < keys.length;) {
    let same = k + 1;
    while (same < keys.length && keys[same] === keys[k]) same++;
    if (same === k + 1) ends.push(Math.floor(keys[k] / n), keys[k] % n);
    k = same;
  }
  return ends;
}

/** Returns the quadrilaterals of segments. `ends` lists two vertices per segment. */
function segmentsOf(points, ends) {
  const n = ends.length / 2;
  const at = new Float32Array(12 * n);
  const other = new Float32Array(12 * n);
  const side = new Float32Array(4 * n);
  const index = new Uint32Array(6 * n);
  const place = (v) => [points[3 * v], points[3 * v + 1], points[3 * v + 2]];
  for (let s = 0; s < n; s++) {
    const [a, b] = [place(ends[2 * s]), place(ends[2 * s + 1])];
    for (let k = 0; k < 4; k++) {
      at.set(k < 2 ? a : b, 12 * s + 3 * k);
      other.set(k < 2 ? b : a, 12 * s + 3 * k);
      side[4 * s + k] = k % 2 === 0 ? 1 : -1;
    }
    index.set(
      [0, 1, 2, 0, 2, 3].map((k) => 4 * s + k),
      6 * s,
    );
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(at, 3));
  geometry.setAttribute("other", new THREE.BufferAttribute(other, 3));
  geometry.setAttribute("side", new THREE.BufferAttribute(side, 1));
  geometry.setIndex(new THREE.BufferAttribute(index, 1));
  return geometry;
}
