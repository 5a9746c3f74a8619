// Picking: the vertex under the pointer, with its position and values.

/** Returns the hit nearest to the eye that the clipping plane does not remove, or null. */
function hitAt(stage, objects, x, y) {
  const pointer = new THREE.Vector2(
    (2 * x) / stage.size.value.x - 1,
    1 - (2 * y) / stage.size.value.y,
  );
  const caster = new THREE.Raycaster();
  caster.setFromCamera(pointer, stage.camera);
  const plane = stage.clip.value;
  const isShown = ({ point }) =>
    plane.x * point.x + plane.y * point.y + plane.z * point.z <= plane.w;
  return caster.intersectObjects(objects, false).find(isShown) ?? null;
}

/** Returns the corner of a hit triangle (0 to 2) that is nearest to the hit. */
function nearestCorner({ object, face, point }) {
  const place = new THREE.Vector3();
  const distances = [face.a, face.b, face.c].map((k) =>
    place.fromBufferAttribute(object.geometry.attributes.position, k).distanceTo(point),
  );
  return distances.indexOf(Math.min(...distances));
}

/** The card that describes the picked vertex, and the ring around it. */
class Picker {
  constructor(viewer) {
    this.viewer = viewer;
    this.ring = element("div", { class: "zv-ring", hidden: true, "aria-hidden": "true" });
    this.card = element("div", { class: "zv-card zv-pick", hidden: true, role: "status" });
    viewer.host.append(this.ring, this.card);
    const { canvas } = viewer.stage;
    let start = null;
    canvas.addEventListener("pointerdown", (e) => (start = [e.offsetX, e.offsetY]));
    canvas.addEventListener("pointerup", (e) => {
      const isClick = start && Math.hypot(e.offsetX - start[0], e.offsetY - start[1]) < 4;
      if (isClick && e.button === 0) this.pick(e.offsetX, e.offsetY);
    });
    viewer.stage.listeners.push(() => this.follow());
  }

  /** Picks the vertex nearest to a place, in pixels from the top left of the view. */
  pick(x, y) {
    const hit = hitAt(this.viewer.stage, this.viewer.meshes(), x, y);
    if (!hit) return this.clear();
    const corner = 3 * hit.faceIndex + nearestCorner(hit);
    const { surface, state } = this.viewer;
    const triangles = hit.object.userData.triangles;
    const vertex = triangles[corner];
    this.at = new THREE.Vector3().fromBufferAttribute(
      hit.object.geometry.attributes.position,
      corner,
    );
    const isSurface = hit.object === this.viewer.mesh;
    const rows = [["vertex", String(isSurface ? surface.nameOf(vertex) : vertex)]];
    rows.push(["position", this.at.toArray().map(short).join(", ")]);
    if (isSurface) {
      for (const field of surface.fields) {
        const isData = field.kind === "labels" || (field.kind === "values" && !field.isPosition);
        if (isData) rows.push([field.name, describe(field, vertex, hit.faceIndex, state)]);
      }
    }
    const list = rows.flatMap(([name, value]) => [
      element("dt", { text: name }),
      element("dd", { text: value }),
    ]);
    const close = element("button", {
      class: "zv-close",
      type: "button",
      "aria-label": "Close",
      text: "\u00d7",
      onclick: () => this.clear(),
    });
    this.card.replaceChildren(element("dl", {}, ...list), close);
    this.card.hidden = false;
    this.follow();
  }

  clear() {
    this.at = null;
    this.card.hidden = this.ring.hidden = true;
  }

  /** Moves the ring to the picked vertex. */
  follow() {
    if (!this.at) return;
    const [x, y] = this.viewer.stage.toScreen(this.at);
    this.ring.style.transform = `translate(${x}px, ${y}px)`;
    this.ring.hidden = false;
  }
}
