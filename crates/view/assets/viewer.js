// The viewer: connects the model, the stage and the controls.

/** Switches between the light and the dark theme. */
function switchTheme() {
  const root = document.documentElement;
  const isDark =
    (root.dataset.theme ??
      (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  root.dataset.theme = isDark ? "light" : "dark";
  document.dispatchEvent(new Event("zv-theme"));
}

/** Returns the color of a CSS variable as red, green and blue from 0 to 1. */
function themeColor(host, name) {
  const probe = element("i", { style: `color: var(${name})` });
  host.append(probe);
  const found = getComputedStyle(probe)
    .color.match(/[\d.]+/g)
    .slice(0, 3);
  probe.remove();
  return unitColor(found.map(Number));
}

class Viewer {
  constructor(host, packed, buffer) {
    this.host = host;
    this.title = packed.title;
    this.maps = packed.maps;
    this.buffer = buffer;
    this.stage = new Stage(host);
    this.surface = packed.surface ? new Surface(buffer, packed.surface) : null;
    this.frames = packed.frames;
    this.state = Math.max(0, this.frames.length - 1);
    this.options = {
      field: 0,
      hasLines: false,
      density: 0,
      hasEdges: false,
      hasInterface: true,
      axis: "",
      cut: 0.5,
      isFlipped: false,
    };
    this.build();
    this.header(packed);
    this.legend = element("div", { class: "zv-legend" });
    this.recolor();
    const panel = panelOf(this);
    host.append(this.legend, panel, toolbarOf(this, panel));
    if (this.frames.length > 1) host.append(timelineOf(this));
    this.picker = new Picker(this);
    this.notes(packed.notes);
    this.keys();
    document.addEventListener("zv-theme", () => this.restyle());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.restyle());
    this.place(packed.view);
    this.showState(this.state);
    this.stage.resize();
  }

  /** Adds the objects of the surface and of the interface to the scene. */
  build() {
    const { scene } = this.stage;
    if (this.surface) {
      const side = this.surface.isOpen ? THREE.BackSide : THREE.DoubleSide;
      const material = this.stage.surfaceMaterial(!this.surface.isFlat, side);
      this.mesh = new THREE.Mesh(this.surface.geometry, material);
      this.mesh.userData.triangles = this.surface.triangles;
      const rim = segmentsOf(this.surface.points, this.surface.boundary);
      this.rim = new THREE.Mesh(rim, this.stage.lineMaterial(0.9));
      scene.add(this.mesh, this.rim);
    }
    // The interface is replaced when the state changes.
    this.front = new THREE.Mesh(new THREE.BufferGeometry(), this.stage.lineMaterial(2.1));
    this.shell = new THREE.Mesh(
      new THREE.BufferGeometry(),
      this.stage.surfaceMaterial(true, THREE.DoubleSide),
    );
    this.front.frustumCulled = this.shell.frustumCulled = false;
    scene.add(this.front, this.shell);
  }

  /** Sets the default view of the surface or, without a surface, of the interfaces of all states. */
  place(view) {
    const all = this.surface
      ? [this.surface.points]
      : this.frames.map((frame) => readPoints(this.buffer, frame.points));
    const points = new Float32Array(all.reduce((n, part) => n + part.length, 0));
    let at = 0;
    for (const part of all) {
      points.set(part, at);
      at += part.length;
    }
    this.low = [0, 1, 2].map((c) =>
      points.reduce((m, x, k) => (k % 3 === c && x < m ? x : m), Infinity),
    );
    this.high = [0, 1, 2].map((c) =>
      points.reduce((m, x, k) => (k % 3 === c && x > m ? x : m), -Infinity),
    );
    this.stage.frame(points, view);
  }

  header({ title, note }) {
    const header = element("header", { class: "zv-title" }, element("h1", { text: title }));
    if (note) header.append(element("p", { text: note }));
    this.host.append(header);
  }

  notes(notes) {
    const usage = this.host.closest(".report")
      ? "Drag to turn, click for values, then scroll to zoom"
      : "Drag to turn, scroll to zoom, click for values";
    const texts = [...notes, usage];
    const list = texts.map((text) => element("li", { text }));
    this.host.append(element("ul", { class: "zv-notes" }, ...list));
  }

  /** Returns the visible triangle meshes. */
  meshes() {
    return [this.mesh, this.shell].filter((mesh) => mesh?.visible && mesh.userData.triangles);
  }

  /** Returns the field that colors the surface, or the plain color if there is none. */
  field() {
    return this.surface ? this.surface.fields[this.options.field] : { kind: "plain", name: PLAIN };
  }

  /** Shows another field. */
  recolor() {
    const field = this.field();
    this.options.hasLines = Boolean(field.hasLines);
    if (this.surface) {
      const { uniforms } = this.mesh.material;
      this.surface.show(field, this.state);
      uniforms.mode.value = { values: 1, labels: 2, paint: 3 }[field.kind] ?? 0;
      if (field.kind === "values") {
        uniforms.range.value.set(...field.range);
        uniforms.map.value = textureOf(this.maps[field.map], true);
      } else if (field.kind === "labels") {
        const none = GRAY.map((x) => x.toString(16)).join("");
        const colors = field.labels.map((label) => label.color).join("") + none;
        uniforms.map.value = textureOf(colors, false);
        uniforms.nLabels.value = field.labels.length + 1;
      }
    }
    this.restyle();
  }

  /** Returns the distance between isolines of the current field, or 0. */
  spacing() {
    const field = this.field();
    if (field.kind !== "values" || !this.options.hasLines) return 0;
    return (0.5 * ticks(field.range, BAR.most).step) / 2 ** this.options.density;
  }

  /** Applies the options that change no data. */
  restyle() {
    const { options } = this;
    const spacing = this.spacing();
    if (this.surface) {
      const { uniforms } = this.mesh.material;
      uniforms.spacing.value = spacing;
      // The interface at each time replaces the zero line of the values.
      uniforms.hasZero.value = Boolean(this.field().hasZero) && this.frames.length === 0;
      uniforms.hasEdges.value = options.hasEdges;
      this.rim.material.uniforms.ink.value = themeColor(this.host, "--zv-rim");
    }
    this.shell.material.uniforms.hasEdges.value = options.hasEdges;
    this.shell.material.uniforms.solid.value = themeColor(this.host, "--zv-shell");
    this.front.visible = options.hasInterface || !this.surface;
    this.shell.visible = this.front.visible;
    showLegend(this.legend, this.field(), this.maps, spacing);
    this.stage.redraw();
  }

  /** Shows a state: its interface, and the values of the surface at this time. */
  showState(k) {
    this.state = k;
    const frame = this.frames[k];
    const field = this.field();
    if (field.kind === "values" && field.states.length > 1) this.surface.show(field, k);
    if (frame) {
      const points = readPoints(this.buffer, frame.points);
      const cells = readNumbers(this.buffer, frame.cells);
      const object = frame.isSurface ? this.shell : this.front;
      object.geometry.dispose();
      object.geometry = (frame.isSurface ? trianglesOf : segmentsOf)(points, cells);
      if (frame.isSurface) object.userData.triangles = cells;
    }
    this.picker?.clear();
    this.stage.redraw();
  }

  /** Chooses the direction of the clipping plane: an axis, or the direction of the view. */
  setClip(axis) {
    this.options.axis = axis;
    const direction = new THREE.Vector3();
    if (axis === "3") {
      direction.copy(this.stage.camera.position).sub(this.stage.controls.target).normalize();
    } else if (axis !== "") {
      direction.setComponent(Number(axis), 1);
    }
    this.direction = direction;
    this.clip();
  }

  clip() {
    const { axis, cut, isFlipped } = this.options;
    const plane = this.stage.clip.value;
    if (axis === "") {
      plane.set(0, 0, 0, 1);
    } else {
      const normal = this.direction;
      const [low, high] = [this.low, this.high].map((x) => new THREE.Vector3(...x));
      const middle = low.clone().add(high).multiplyScalar(0.5).dot(normal);
      const half =
        0.5 *
        normal.toArray().reduce((sum, x, c) => sum + Math.abs(x) * (this.high[c] - this.low[c]), 0);
      const sign = isFlipped ? -1 : 1;
      const level = middle + (2 * cut - 1) * half;
      plane.set(sign * normal.x, sign * normal.y, sign * normal.z, sign * level);
    }
    this.stage.redraw();
  }

  /** Handles keys: arrows turn the view, plus and minus zoom, and letters act like the buttons. */
  keys() {
    const { stage, host } = this;
    const canvas = stage.canvas;
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `3-D view of ${this.title}. Arrow keys turn it.`);
    const step = Math.PI / 36;
    const actions = {
      ArrowLeft: () => stage.turn(-step, 0),
      ArrowRight: () => stage.turn(step, 0),
      ArrowUp: () => stage.turn(0, step),
      ArrowDown: () => stage.turn(0, -step),
      "+": () => stage.zoom(0.9),
      "=": () => stage.zoom(0.9),
      "-": () => stage.zoom(1 / 0.9),
      r: () => stage.reset(),
      d: switchTheme,
      s: () => savePicture(this),
      p: () => this.picker.pick(0.5 * stage.size.value.x, 0.5 * stage.size.value.y),
      Escape: () => this.picker.clear(),
      " ": () => this.play?.(),
      ",": () => this.step?.(-1),
      ".": () => this.step?.(1),
    };
    host.addEventListener("keydown", (event) => {
      const isTyped = event.target !== canvas || event.ctrlKey || event.metaKey || event.altKey;
      const action = actions[event.key];
      if (isTyped || !action) return;
      event.preventDefault();
      action();
    });
  }
}

/** Shows the view of the page, or the reason why it cannot be shown. */
async function start() {
  const host = document.getElementById("zv");
  try {
    const code = new TextDecoder().decode(await unpack(textOf("zv-three")));
    document.head.append(element("script", { text: code }));
    const buffer = await unpack(textOf("zv-data"));
    new Viewer(host, JSON.parse(textOf("zv-scene")), buffer);
    host.dataset.state = "ready";
  } catch (error) {
    host.append(
      element("p", { class: "zv-error", text: `The view cannot be shown: ${error.message}` }),
    );
    host.dataset.state = "failed";
    throw error;
  }
}

start();
