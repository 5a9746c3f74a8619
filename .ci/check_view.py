"""Opens pages with a 3-D view in headless Chromium and uses them, without a network.

Usage: check_view.py FOLDER PAGE.html ... writes a picture of each page, light and dark, to FOLDER.

Each page must draw, in the colors of its legend, without a message on the console and without a
request to any address. It must react to a click, to keys, to the clipping plane, to the slider and
to the theme of the system, and offer a PNG file. Needs numpy, Pillow, and Chromium, whose path is
in the variable CHROMIUM or which is in the PATH.
"""

import base64
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np
from PIL import Image, ImageChops

SIZE = (1280, 800)
# Seconds. A page is drawn by the CPU, which may be busy.
PATIENCE = 60
# Remarks of the browser about reading pixels, as this script does, and about drawing on the CPU.
HARMLESS = ("GPU stall due to ReadPixels", "willReadFrequently", "fallback to software WebGL")


class Browser:
    """Chromium, controlled through pipes by the DevTools protocol."""

    def __init__(self, folder):
        program = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
        if not program:
            sys.exit("no chromium: install it, or name it with CHROMIUM")
        to_read, self.to = os.pipe()
        self.back, to_write = os.pipe()

        def pipes():
            # The descriptors that Chromium expects. They are copied first, as they may overlap.
            copies = os.dup(to_read), os.dup(to_write)
            os.dup2(copies[0], 3)
            os.dup2(copies[1], 4)

        options = [
            "--headless=new",
            "--no-sandbox",
            "--use-angle=swiftshader",
            "--enable-unsafe-swiftshader",
            "--remote-debugging-pipe",
            "--hide-scrollbars",
            f"--user-data-dir={folder}",
            f"--window-size={SIZE[0]},{SIZE[1]}",
            "about:blank",
        ]
        self.process = subprocess.Popen(
            [program, *options], close_fds=False, preexec_fn=pipes, stderr=subprocess.DEVNULL
        )
        os.close(to_read)
        os.close(to_write)
        self.number = 0
        self.rest = b""
        self.events = []
        self.session = None
        pages = self.call("Target.getTargets")["targetInfos"]
        target = next(page["targetId"] for page in pages if page["type"] == "page")
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self.session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=SIZE[0], height=SIZE[1],
                  deviceScaleFactor=1, mobile=False)

    def message(self):
        while b"\0" not in self.rest:
            chunk = os.read(self.back, 1 << 20)
            if not chunk:
                sys.exit("chromium has ended")
            self.rest += chunk
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **parameters):
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        data = json.dumps(request).encode() + b"\0"
        while data:
            data = data[os.write(self.to, data):]
        while True:
            found = self.message()
            if found.get("id") == self.number:
                if "error" in found:
                    sys.exit(f"{method}: {found['error']}")
                return found["result"]
            self.events.append(found)

    def value(self, expression):
        """Returns the value of a JavaScript expression, which may be a promise."""
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                          awaitPromise=True)
        if "exceptionDetails" in found:
            sys.exit(f"{expression}: {found['exceptionDetails']}")
        return found["result"].get("value")

    def until(self, expression, what):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if self.value(expression):
                return
            time.sleep(0.1)
        sys.exit(f"{what}: not within {PATIENCE} s")

    def key(self, key):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key)

    def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def picture(self):
        """Returns the view as the browser shows it, after two refreshes of the screen."""
        self.value("new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => r(1))))")
        box = self.box()
        found = self.call("Page.captureScreenshot", format="png", clip=box | {"scale": 1})
        return Image.open(io.BytesIO(base64.b64decode(found["data"]))).convert("RGB")

    def box(self):
        """Returns the place of the view on the screen."""
        return self.value(
            "(() => { const b = document.getElementById('zv').getBoundingClientRect();"
            " return { x: b.x, y: b.y, width: b.width, height: b.height } })()"
        )

    def complaints(self):
        """Returns the errors that the page has printed, and the addresses that it has requested."""
        for event in self.events:
            method, data = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                yield str(data["exceptionDetails"])
            elif method == "Log.entryAdded" and data["entry"]["level"] in ("error", "warning"):
                if not any(text in data["entry"]["text"] for text in HARMLESS):
                    yield data["entry"]["text"]
            elif method == "Runtime.consoleAPICalled" and data["type"] in ("error", "warning", "assert"):
                yield str([part.get("value") for part in data["args"]])
            elif method == "Network.requestWillBeSent":
                url = data["request"]["url"]
                if not url.startswith(("file:", "data:", "blob:")):
                    yield f"asks for {url}"


def content(image, ground):
    """Returns the pixels in the middle of a picture that are not background, `[n][3]`, and the
    total number of pixels there."""
    width, height = image.size
    middle = image.crop((width // 5, height // 8, width * 4 // 5, height * 7 // 8))
    pixels = np.asarray(middle).reshape(-1, 3).astype(int)
    return pixels[np.abs(pixels - ground).max(axis=1) >= 10], len(pixels)


def pure(colors):
    """Returns colors `[n][3]` at full brightness, as light changes only the brightness."""
    colors = np.asarray(colors, dtype=float)
    return colors / np.maximum(colors.max(axis=1, keepdims=True), 1)


def check(browser, page, folder):
    fail = lambda what: sys.exit(f"{page}: {what}")
    name = os.path.splitext(os.path.basename(page))[0]
    browser.events.clear()
    browser.call("Network.emulateNetworkConditions", offline=True, latency=0,
                 downloadThroughput=-1, uploadThroughput=-1)
    browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "light"}])
    browser.call("Page.navigate", url="file://" + os.path.abspath(page))
    browser.until("document.getElementById('zv')?.dataset.state", f"{page}: the view")
    if browser.value("document.getElementById('zv').dataset.state") != "ready":
        fail(browser.value("document.getElementById('zv').innerText"))
    browser.value("document.getElementById('zv').scrollIntoView()")

    light = browser.picture()
    light.save(f"{folder}/{name}-light.png")
    ground = light.getpixel((light.width // 2, 3))
    drawn, whole = content(light, ground)
    if min(ground) < 230 or not 0.1 * whole < len(drawn) < 0.98 * whole:
        fail(f"{len(drawn)} of {whole} pixels are drawn on {ground}")
    n_colors = len(np.unique(drawn, axis=0))
    if n_colors < 20:
        fail(f"the content has only {n_colors} colors")
    bar = browser.value(
        "(() => { const bar = document.querySelector('.zv-bar canvas'); if (!bar) return null;"
        " const paint = bar.getContext('2d'); return [...Array(64).keys()].map(k =>"
        " [...paint.getImageData(3, Math.floor((k + 0.5) * bar.height / 64), 1, 1).data.slice(0, 3)]) })()"
    )
    if bar:
        known = pure(bar + [(186, 186, 186), (236, 226, 206)])
        sample = pure(drawn[:: max(1, len(drawn) // 2000)])
        distances = np.abs(sample[:, None] - known[None]).max(axis=2).min(axis=1)
        share = (distances < 0.09).mean()
        if share < 0.7:
            fail(f"only {share:.0%} of the content has the colors of the bar")

    # A click on the content shows values.
    box = browser.box()
    is_content = np.abs(np.asarray(light).astype(int) - ground).max(axis=2) > 30
    height, width = is_content.shape
    is_content[: height // 3] = is_content[height * 2 // 3 :] = False
    is_content[:, : width // 3] = is_content[:, width * 2 // 3 :] = False
    places = np.argwhere(is_content)
    y, x = map(int, places[len(places) // 2])
    browser.click(box["x"] + x, box["y"] + y)
    browser.until("document.querySelector('.zv-pick dd') !== null", f"{page}: the values of a vertex")
    if "vertex" not in browser.value("document.querySelector('.zv-pick').innerText"):
        fail("the panel shows no vertex")
    browser.key("Escape")

    # Keys turn the view; the clipping plane removes a part.
    browser.value("document.querySelector('.zv > canvas').focus()")
    before = browser.picture()
    for _ in range(4):
        browser.key("ArrowRight")
    if not ImageChops.difference(before, browser.picture()).getbbox():
        fail("the arrow keys turn nothing")
    browser.key("r")
    choose = ("(() => { const list = document.querySelector('select[aria-label=\"Clipping plane\"]');"
              " list.value = '%s'; list.dispatchEvent(new Event('change')) })()")
    browser.value(choose % "0")
    clipped, _ = content(browser.picture(), ground)
    if not 0 < len(clipped) < 0.95 * len(drawn):
        fail(f"the clipping plane leaves {len(clipped)} of {len(drawn)} pixels")
    browser.value(choose % "")

    if browser.value("document.querySelector('.zv-time') !== null"):
        browser.value("document.querySelector('.zv > canvas').focus()")
        said = browser.value("document.querySelector('.zv-time').textContent")
        browser.key(",")
        if browser.value("document.querySelector('.zv-time').textContent") == said:
            fail("the slider does not move")
        browser.key(".")

    browser.value("HTMLAnchorElement.prototype.click = function () { window.saved = [this.download,"
                  " fetch(this.href).then(r => r.blob()).then(b => window.bytes = b.size)] }")
    browser.value("document.querySelector('.zv > canvas').focus()")
    browser.key("s")
    browser.until("window.bytes > 10000 && window.saved[0].endsWith('.png')", f"{page}: the PNG file")

    browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    time.sleep(0.3)
    dark = browser.picture()
    dark.save(f"{folder}/{name}-dark.png")
    if max(dark.getpixel((dark.width // 2, 3))) > 60:
        fail("the theme does not become dark")

    for complaint in browser.complaints():
        fail(complaint)
    print(f"{page}: {len(drawn) / whole:.0%} drawn, {os.path.getsize(page) // 1000} kB")


def main():
    folder, *pages = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(profile)
        try:
            for page in pages:
                check(browser, page, folder)
        finally:
            browser.process.kill()
            browser.process.wait()


main()
