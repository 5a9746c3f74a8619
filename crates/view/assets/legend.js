// The legend: a color bar with ticks, or the names of labels.

const BAR = { width: 16, height: 260, most: 7 };

/** Creates an element with attributes and children. */
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "text") made.textContent = value;
    else if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (typeof value === "boolean") made.toggleAttribute(name, value);
    else made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

/** Returns the name of a field with its unit. */
function titleOf(field) {
  return field.unit ? `${field.name} (${field.unit})` : field.name;
}

/** Draws the colors of a map and its isolines into a canvas, with high values at the top. */
function paintBar(canvas, hex, field, spacing) {
  const { width, height } = BAR;
  [canvas.width, canvas.height] = [2 * width, 2 * height];
  const paint = canvas.getContext("2d");
  const last = hex.length / 6 - 1;
  for (let row = 0; row < 2 * height; row++) {
    const k = Math.round(last * (1 - row / (2 * height - 1)));
    paint.fillStyle = `#${hex.substr(6 * k, 6)}`;
    paint.fillRect(0, row, 2 * width, 1);
  }
  const [low, high] = field.range;
  const draw = (level, thickness) => {
    const y = 2 * height * ((high - level) / (high - low));
    paint.fillRect(0, y - thickness / 2, 2 * width, thickness);
  };
  paint.fillStyle = "#1c1e24";
  for (let k = Math.ceil(low / spacing); spacing > 0 && k * spacing <= high; k++) {
    draw(k * spacing, 1.6);
  }
  if (field.hasZero && low < 0 && high > 0) draw(0, 5);
}

/** Shows the legend of a field. `spacing` is the distance between isolines, or 0. */
function showLegend(host, field, maps, spacing) {
  host.replaceChildren();
  if (field.kind === "values") {
    const canvas = element("canvas", { "aria-hidden": "true" });
    paintBar(canvas, maps[field.map], field, spacing);
    const [low, high] = field.range;
    const marks = ticks(field.range, BAR.most);
    const labels = marks.values.map((value, k) => {
      const share = (100 * (high - value)) / (high - low);
      return element("span", { text: marks.labels[k], style: `top: ${share}%` });
    });
    host.append(
      element("div", { class: "zv-legend-name", text: titleOf(field) }),
      element("div", { class: "zv-bar" }, canvas, element("div", { class: "zv-ticks" }, ...labels)),
    );
  } else if (field.kind === "labels") {
    const entries = field.labels.map(({ name, color }) =>
      element(
        "li",
        { title: name },
        element("i", { style: `background: #${color}` }),
        element("span", { text: name }),
      ),
    );
    host.append(
      element("div", { class: "zv-legend-name", text: field.name }),
      element("ul", { class: "zv-labels" }, ...entries),
    );
  }
  if (field.hasGaps) {
    const text = field.kind === "labels" ? "no label" : "no value";
    host.append(element("div", { class: "zv-gap" }, element("i"), element("span", { text })));
  }
}
