// The stage: renderer, camera, materials and the objects in the scene.

/** The vertical angle of view, in degrees. */
const ANGLE = 24;

const CREAM = [236, 226, 206];
const GRAY = [186, 186, 186];

const unitColor = (bytes) => new THREE.Vector3(...bytes.map((x) => x / 255));

/** Returns a texture with one row of colors, given as hexadecimal digits. */
function textureOf(hex, isSmooth) {
  const n = hex.length / 6;
  const bytes = new Uint8Array(4 * n);
  for (let k = 0; k < n; k++) {
    for (let c = 0; c < 3; c++) bytes[4 * k + c] = parseInt(hex.substr(6 * k + 2 * c, 2), 16);
    bytes[4 * k + 3] = 255;
  }
  const texture = new THREE.DataTexture(bytes, n, 1, THREE.RGBAFormat, THREE.UnsignedByteType);
  texture.minFilter = texture.magFilter = isSmooth ? THREE.LinearFilter : THREE.NearestFilter;
  texture.needsUpdate = true;
  return texture;
}

class Stage {
  constructor(host) {
    this.host = host;
    this.renderer = new THREE.WebGLRenderer({
      antialias: true,
      alpha: true,
      preserveDrawingBuffer: true,
    });
    host.prepend(this.renderer.domElement);
    this.canvas = this.renderer.domElement;
    this.scene = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(ANGLE, 1, 0.1, 10);
    this.controls = new THREE.OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = false;
    this.controls.zoomToCursor = true;
    this.controls.addEventListener("change", () => this.redraw());
    this.canvas.tabIndex = 0;
    this.canvas.addEventListener("pointerdown", () => this.canvas.focus({ preventScroll: true }));
    if (host.closest(".report")) {
      // Scrolling through a report must not zoom a view that nobody has touched.
      this.controls.enableZoom = false;
      this.canvas.addEventListener("focus", () => (this.controls.enableZoom = true));
      this.canvas.addEventListener("blur", () => (this.controls.enableZoom = false));
    }
    this.clip = { value: new THREE.Vector4(0, 0, 0, 1) };
    this.size = { value: new THREE.Vector2(1, 1) };
    this.listeners = [];
    new ResizeObserver(() => this.resize()).observe(host);
  }

  surfaceMaterial(isLit, side) {
    return new THREE.ShaderMaterial({
      glslVersion: THREE.GLSL3,
      vertexShader: SURFACE_VERTEX,
      fragmentShader: SURFACE_FRAGMENT,
      side,
      uniforms: {
        mode: { value: 0 },
        map: { value: textureOf("808080808080", true) },
        range: { value: new THREE.Vector2(0, 1) },
        spacing: { value: 0 },
        hasZero: { value: false },
        hasEdges: { value: false },
        isLit: { value: isLit },
        clip: this.clip,
        solid: { value: unitColor(CREAM) },
        noValue: { value: unitColor(GRAY) },
        nLabels: { value: 1 },
      },
    });
  }

  lineMaterial(thickness) {
    return new THREE.ShaderMaterial({
      glslVersion: THREE.GLSL3,
      vertexShader: LINE_VERTEX,
      fragmentShader: LINE_FRAGMENT,
      side: THREE.DoubleSide,
      uniforms: {
        ink: { value: unitColor([28, 30, 36]) },
        size: this.size,
        thickness: { value: thickness },
        clip: this.clip,
      },
    });
  }

  /** Sets the default view of points `[n][3]`: the direction to the eye, and up. */
  frame(points, view) {
    const [toward, up] = directionsOf(view);
    const right = new THREE.Vector3().crossVectors(up, toward).normalize();
    const above = new THREE.Vector3().crossVectors(toward, right);
    const axes = [right, above, toward];
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    const place = new THREE.Vector3();
    for (let k = 0; k < points.length; k += 3) {
      place.set(points[k], points[k + 1], points[k + 2]);
      axes.forEach((axis, c) => {
        const x = place.dot(axis);
        low[c] = Math.min(low[c], x);
        high[c] = Math.max(high[c], x);
      });
    }
    this.center = new THREE.Vector3();
    axes.forEach((axis, c) => this.center.addScaledVector(axis, 0.5 * (low[c] + high[c])));
    this.extent = low.map((x, c) => high[c] - x);
    this.radius = 0.5 * Math.hypot(...this.extent) || 1;
    this.home = { toward, up };
    this.reset();
  }

  /** Returns to the default view. */
  reset() {
    const { toward, up } = this.home;
    // Leave room for the title, the panel, the color bar and the timeline, which take up more of a
    // small window.
    const room = this.host.clientHeight < 720 ? 1.36 : 1.22;
    const half = Math.tan((0.5 * ANGLE * Math.PI) / 180);
    const tall = (0.5 * this.extent[1]) / half;
    const wide = (0.5 * this.extent[0]) / (half * Math.min(this.camera.aspect, 1.9));
    const distance = room * Math.max(tall, wide, 0.2 * this.radius) + 0.5 * this.extent[2];
    this.camera.up.copy(up);
    this.camera.position.copy(this.center).addScaledVector(toward, distance);
    this.controls.target.copy(this.center);
    this.controls.update();
    this.redraw();
  }

  /** Turns the camera about the target, by angles in radians. */
  turn(aside, upward) {
    const { camera, controls } = this;
    const offset = camera.position.clone().sub(controls.target);
    const right = new THREE.Vector3().crossVectors(camera.up, offset).normalize();
    const lean = offset.angleTo(camera.up);
    const tilt = Math.min(Math.max(lean - upward, 0.01), Math.PI - 0.01) - lean;
    offset.applyAxisAngle(right, tilt).applyAxisAngle(camera.up, aside);
    camera.position.copy(controls.target).add(offset);
    controls.update();
    this.redraw();
  }

  /** Moves the camera nearer (below 1) or farther (above 1). */
  zoom(factor) {
    const { camera, controls } = this;
    camera.position.sub(controls.target).multiplyScalar(factor).add(controls.target);
    controls.update();
    this.redraw();
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.host;
    if (width === 0 || height === 0) return;
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.setSize(width, height);
    this.size.value.set(width, height);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    if (this.home && !this.isPlaced) {
      // The first size determines the distance of the camera in the default view.
      this.isPlaced = true;
      this.reset();
    }
    this.draw();
  }

  /** Draws before the next screen refresh. */
  redraw() {
    if (this.isDue) return;
    this.isDue = true;
    requestAnimationFrame(() => this.draw());
  }

  draw() {
    this.isDue = false;
    // The depth range follows the content, which keeps the depth precise.
    const distance = this.camera.position.distanceTo(this.center);
    this.camera.near = Math.max(distance - 1.05 * this.radius, 0.002 * this.radius);
    this.camera.far = distance + 1.05 * this.radius;
    this.camera.updateProjectionMatrix();
    this.renderer.render(this.scene, this.camera);
    this.listeners.forEach((listener) => listener());
  }

  /** Returns the position of a point on the screen, in pixels from the top left of the view. */
  toScreen(point) {
    const place = point.clone().project(this.camera);
    return [0.5 * (1 + place.x) * this.size.value.x, 0.5 * (1 - place.y) * this.size.value.y];
  }
}
