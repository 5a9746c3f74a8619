// Saves the view as a PNG file, with its title and legend.

/** Draws the color bar of the legend at its place on the page. */
function drawLegend(paint, viewer, color) {
  const origin = viewer.host.getBoundingClientRect();
  const place = (part) => {
    const box = part.getBoundingClientRect();
    return [box.left - origin.left, box.top - origin.top, box.width, box.height];
  };
  paint.fillStyle = color;
  paint.textBaseline = "middle";
  for (const part of viewer.legend.querySelectorAll("canvas, i, span, .zv-legend-name")) {
    const [x, y, width, height] = place(part);
    if (width === 0) continue;
    if (part.tagName === "CANVAS") {
      paint.drawImage(part, x, y, width, height);
    } else if (part.tagName === "I") {
      paint.fillStyle = getComputedStyle(part).backgroundColor;
      paint.fillRect(x, y, width, height);
      paint.fillStyle = color;
    } else {
      const style = getComputedStyle(part);
      paint.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
      paint.fillText(part.textContent, x, y + height / 2);
    }
  }
}

/** Returns the view with its title and legend as a canvas. */
function pictureOf(viewer) {
  const { stage, title } = viewer;
  stage.draw();
  const scale = stage.canvas.width / stage.size.value.x;
  const picture = document.createElement("canvas");
  [picture.width, picture.height] = [stage.canvas.width, stage.canvas.height];
  const paint = picture.getContext("2d");
  const style = getComputedStyle(viewer.host);
  paint.fillStyle = style.backgroundColor;
  paint.fillRect(0, 0, picture.width, picture.height);
  paint.drawImage(stage.canvas, 0, 0);
  paint.scale(scale, scale);
  paint.fillStyle = style.color;
  paint.font = `600 17px ${style.fontFamily}`;
  paint.textBaseline = "top";
  paint.fillText(title, 22, 18);
  if (viewer.frames.length > 1) {
    paint.font = `14px ${style.fontFamily}`;
    paint.fillText(viewer.frames[viewer.state].name, 22, 42);
  }
  drawLegend(paint, viewer, style.color);
  return picture;
}

/** Offers the view to the user as a file. */
function savePicture(viewer) {
  const name = viewer.title.replace(/[^\p{L}\p{N}._-]+/gu, "_") || "view";
  pictureOf(viewer).toBlob((blob) => {
    const link = element("a", { href: URL.createObjectURL(blob), download: `${name}.png` });
    link.click();
    URL.revokeObjectURL(link.href);
  }, "image/png");
}
