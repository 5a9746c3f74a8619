// The shaders: colors by value, label or paint; isolines; edges; the clipping plane; lines.

/** Conversions between screen colors (sRGB) and linear light. */
const COLOR_SPACE = `
vec3 toLight(vec3 c) {
  return mix(c / 12.92, pow((c + 0.055) / 1.055, vec3(2.4)), step(0.04045, c));
}
vec3 toScreen(vec3 c) {
  c = clamp(c, 0.0, 1.0);
  return mix(c * 12.92, 1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c));
}
`;

// Triangles do not share vertices, so the number of a vertex gives its corner.
const SURFACE_VERTEX = `
in vec2 value;
in vec3 tags;
in vec3 paint;
out vec3 vAt;
out vec3 vNormal;
out vec3 vEye;
out vec2 vValue;
out vec3 vPaint;
out vec3 vCorner;
flat out vec3 vTags;
void main() {
  int corner = gl_VertexID % 3;
  vCorner = vec3(corner == 0, corner == 1, corner == 2);
  vAt = position;
  vNormal = normalMatrix * normal;
  vValue = value;
  vPaint = paint;
  vTags = tags;
  vec4 eye = modelViewMatrix * vec4(position, 1.0);
  vEye = eye.xyz;
  gl_Position = projectionMatrix * eye;
}
`;

const SURFACE_FRAGMENT = `
precision highp float;
uniform int mode;
uniform sampler2D map;
uniform vec2 range;
uniform float spacing;
uniform bool hasZero;
uniform bool hasEdges;
uniform bool isLit;
uniform vec4 clip;
uniform vec3 solid;
uniform vec3 noValue;
uniform float nLabels;
in vec3 vAt;
in vec3 vNormal;
in vec3 vEye;
in vec2 vValue;
in vec3 vPaint;
in vec3 vCorner;
flat in vec3 vTags;
out vec4 color;
${COLOR_SPACE}
// Returns the coverage of lines at whole numbers of x, with half of their width in pixels. Lines
// that are too dense to be told apart fade. Constant regions have no lines.
float lines(float x, float reach) {
  float slope = length(vec2(dFdx(x), dFdy(x)));
  float distance = abs(fract(x + 0.5) - 0.5) / max(slope, 1e-12);
  float cover = 1.0 - smoothstep(reach - 0.6, reach + 0.6, distance);
  return slope < 1e-5 ? 0.0 : cover * (1.0 - smoothstep(0.12, 0.4, slope));
}
float zeroLine(float x, float reach) {
  float slope = length(vec2(dFdx(x), dFdy(x)));
  return 1.0 - smoothstep(reach - 0.6, reach + 0.6, abs(x) / max(slope, 1e-30));
}
float edges() {
  vec3 distance = vCorner / max(fwidth(vCorner), vec3(1e-12));
  return 1.0 - smoothstep(0.2, 1.2, min(distance.x, min(distance.y, distance.z)));
}
float labelOf() {
  if (vCorner.x >= vCorner.y && vCorner.x >= vCorner.z) return vTags.x;
  return vCorner.y >= vCorner.z ? vTags.y : vTags.z;
}
void main() {
  // Derivatives are taken before any fragment is discarded.
  float level = vValue.x / spacing;
  float drawn = spacing > 0.0 ? 0.85 * lines(level, 0.7) : 0.0;
  float zero = hasZero ? zeroLine(vValue.x, 1.3) : 0.0;
  float wire = hasEdges ? 0.4 * edges() : 0.0;
  if (dot(clip.xyz, vAt) > clip.w) discard;
  vec3 light = toLight(solid);
  bool hasValue = vValue.y > 0.999;
  if (mode == 1) {
    float t = clamp((vValue.x - range.x) / (range.y - range.x), 0.0, 1.0);
    vec3 found = toLight(texture(map, vec2((t * 511.0 + 0.5) / 512.0, 0.5)).rgb);
    light = hasValue ? found : toLight(noValue);
    float ink = hasValue ? max(drawn, zero) : 0.0;
    light = mix(light, vec3(0.012), ink);
  } else if (mode == 2) {
    light = toLight(texture(map, vec2((labelOf() + 0.5) / nLabels, 0.5)).rgb);
  } else if (mode == 3) {
    light = vPaint;
  }
  light = mix(light, vec3(0.02), wire);
  if (isLit) {
    vec3 n = normalize(vNormal);
    vec3 eye = normalize(-vEye);
    float head = dot(n, eye);
    if (head < 0.0) { n = -n; head = -head; }
    vec3 lamp = normalize(vec3(-0.36, 0.48, 0.8));
    float gloss = pow(max(dot(n, normalize(lamp + vec3(0.0, 0.0, 1.0))), 0.0), 16.0);
    float strength = 0.30 + 0.36 * head + 0.42 * max(dot(n, lamp), 0.0);
    light = light * strength + 0.05 * gloss;
  }
  color = vec4(toScreen(light), 1.0);
}
`;

// A segment is a quadrilateral of constant width on the screen. It is drawn slightly in front of
// the surface on which it lies.
const LINE_VERTEX = `
in vec3 other;
in float side;
uniform vec2 size;
uniform float thickness;
out vec3 vAt;
void main() {
  vAt = position;
  vec4 a = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  vec4 b = projectionMatrix * modelViewMatrix * vec4(other, 1.0);
  vec2 along = (b.xy / b.w - a.xy / a.w) * size;
  along = length(along) > 1e-6 ? normalize(along) : vec2(1.0, 0.0);
  vec2 across = vec2(-along.y, along.x) * sign(side);
  a.xy += (across - along) * thickness / size * a.w;
  a.z -= 0.0015 * a.w;
  gl_Position = a;
}
`;

const LINE_FRAGMENT = `
precision highp float;
uniform vec3 ink;
uniform vec4 clip;
in vec3 vAt;
out vec4 color;
void main() {
  if (dot(clip.xyz, vAt) > clip.w) discard;
  color = vec4(ink, 1.0);
}
`;
