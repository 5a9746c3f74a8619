// The panel with the controls, the toolbar and the timeline.

/** The paths of the icons, in a square with a side of 24 units. */
const ICONS = {
  home: "M4 11 12 4l8 7M6 9.5V20h12V9.5",
  theme: "M12 4a8 8 0 1 0 0 16zM12 4a8 8 0 0 1 0 16",
  save: "M12 4v11m0 0-4-4m4 4 4-4M5 19h14",
  play: "M8 5.5v13l11-6.5z",
  pause: "M8 5v14M16 5v14",
  panel: "M4 7h16M4 12h16M4 17h16",
};

function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(svg.namespaceURI, "path");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}

function iconButton(name, label, onclick) {
  return element(
    "button",
    { type: "button", title: label, "aria-label": label, onclick },
    icon(name),
  );
}

/** Returns a check box with its label. */
function checkBox(text, isOn, change) {
  const box = element("input", { type: "checkbox", checked: isOn });
  box.addEventListener("change", () => change(box.checked));
  return element("label", { class: "zv-check" }, box, element("span", { text }));
}

/** Returns a slider with its label. */
function slider(label, { min, max, step, value }, change) {
  const range = element("input", { type: "range", min, max, step, "aria-label": label });
  range.value = value;
  range.addEventListener("input", () => change(Number(range.value)));
  return range;
}

/** Returns a list of choices, which are given as pairs of a value and a label. */
function choice(label, options, chosen, change) {
  const select = element("select", { "aria-label": label });
  options.forEach(([value, text]) => select.append(element("option", { value, text })));
  select.value = chosen;
  select.addEventListener("change", () => change(select.value));
  return select;
}

function row(name, ...controls) {
  return element("div", { class: "zv-row" }, element("span", { text: name }), ...controls);
}

/** Creates the panel of a viewer. */
function panelOf(viewer) {
  const { options, surface } = viewer;
  const panel = element("div", { class: "zv-card zv-panel", id: "zv-panel" });
  if (surface) {
    const fields = surface.fields.map((field, k) => [String(k), titleOf(field)]);
    const color = (k) => {
      options.field = Number(k);
      viewer.recolor();
      update();
    };
    panel.append(row("Color", choice("Color", fields, String(options.field), color)));
  }
  const lines = checkBox("Isolines", options.hasLines, (isOn) => {
    options.hasLines = isOn;
    viewer.restyle();
    update();
  });
  const density = slider(
    "Density of isolines",
    { min: -2, max: 3, step: 1, value: options.density },
    (value) => {
      options.density = value;
      viewer.restyle();
    },
  );
  const edges = checkBox("Edges", options.hasEdges, (isOn) => {
    options.hasEdges = isOn;
    viewer.restyle();
  });
  const interface_ = checkBox("Interface", options.hasInterface, (isOn) => {
    options.hasInterface = isOn;
    viewer.restyle();
  });
  const cut = slider(
    "Position of the clipping plane",
    { min: 0, max: 1, step: 0.002, value: 0.5 },
    (value) => {
      options.cut = value;
      viewer.clip();
    },
  );
  const axes = [
    ["", "off"],
    ["0", "x"],
    ["1", "y"],
    ["2", "z"],
    ["3", "view"],
  ];
  const axis = choice("Clipping plane", axes, "", (value) => {
    viewer.setClip(value);
    update();
  });
  const flip = element("button", {
    type: "button",
    text: "flip",
    title: "Show the other side of the clipping plane",
    onclick: () => {
      options.isFlipped = !options.isFlipped;
      viewer.clip();
    },
  });
  const update = () => {
    const isValues = surface && surface.fields[options.field].kind === "values";
    lines.hidden = !isValues;
    lines.querySelector("input").checked = options.hasLines;
    density.hidden = !isValues || !options.hasLines;
    cut.hidden = flip.hidden = options.axis === "";
  };
  panel.append(element("div", { class: "zv-lines" }, lines, density), edges);
  if (viewer.frames.length > 0 && surface) panel.append(interface_);
  panel.append(row("Clip", axis, flip), cut);
  update();
  return panel;
}

/** Creates the toolbar of a viewer. */
function toolbarOf(viewer, panel) {
  const toggle = iconButton("panel", "Show or hide the controls", () => {
    panel.hidden = !panel.hidden;
    toggle.setAttribute("aria-expanded", String(!panel.hidden));
  });
  toggle.setAttribute("aria-expanded", "true");
  toggle.setAttribute("aria-controls", panel.id);
  return element(
    "div",
    { class: "zv-tools", role: "toolbar", "aria-label": "View" },
    toggle,
    iconButton("home", "Default view (R)", () => viewer.stage.reset()),
    iconButton("theme", "Light or dark (D)", switchTheme),
    iconButton("save", "Save as PNG (S)", () => savePicture(viewer)),
  );
}

/** The time between states during playback, in milliseconds. */
const PACE = 160;

/** Creates the timeline: a button, a slider and the time. */
function timelineOf(viewer) {
  const { frames } = viewer;
  const last = frames.length - 1;
  const time = element("output", { class: "zv-time" });
  let timer = null;
  const show = (k) => {
    viewer.showState(k);
    range.value = k;
    time.textContent = frames[k].name;
    range.setAttribute("aria-valuetext", frames[k].name);
  };
  const range = slider("Time", { min: 0, max: last, step: 1, value: viewer.state }, (k) => {
    stop();
    show(k);
  });
  const stop = () => {
    clearInterval(timer);
    timer = null;
    button.replaceChildren(icon("play"));
    button.setAttribute("aria-label", "Play");
  };
  const button = iconButton("play", "Play (space)", () => {
    if (timer) return stop();
    button.replaceChildren(icon("pause"));
    button.setAttribute("aria-label", "Pause");
    show(viewer.state === last ? 0 : viewer.state);
    timer = setInterval(() => show(viewer.state === last ? 0 : viewer.state + 1), PACE);
  });
  button.setAttribute("aria-label", "Play");
  time.textContent = frames[viewer.state].name;
  viewer.play = () => button.click();
  viewer.step = (by) => {
    stop();
    show(Math.min(Math.max(viewer.state + by, 0), last));
  };
  return element("div", { class: "zv-card zv-timeline" }, button, range, time);
}
