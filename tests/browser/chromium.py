"""Drives a headless Chromium over its debugging pipe (the DevTools protocol).

Messages are JSON that ends with a zero byte. A page can be shown in any width and colour scheme,
and all of its console messages and requests are recorded.
"""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-sync",
    "--disable-extensions",
    "--disable-dev-shm-usage",
    "--remote-debugging-pipe",
]


def find():
    """The program, or None."""
    return (
        shutil.which("chromium")
        or shutil.which("chromium-browser")
        or shutil.which("google-chrome")
    )


class Chromium:
    def __init__(self):
        self.profile = tempfile.mkdtemp()
        to_read, self.to_write = os.pipe()  # commands
        self.from_read, from_write = os.pipe()  # answers and events

        def as_three_and_four():
            a, b = os.dup(to_read), os.dup(from_write)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen(
            [find(), *FLAGS, "--user-data-dir=" + self.profile, "about:blank"],
            preexec_fn=as_three_and_four,
            close_fds=False,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_read)
        os.close(from_write)
        self.buffer, self.events, self.number, self.session = b"", [], 0, None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)[
            "sessionId"
        ]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def receive(self, seconds=60):
        end = time.monotonic() + seconds
        while b"\0" not in self.buffer:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.from_read], [], [], left)[0]:
                raise TimeoutError("Chromium does not answer")
            got = os.read(self.from_read, 1 << 16)
            if not got:
                raise EOFError("Chromium has gone")
            self.buffer += got
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to_write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def open(self, path, width, height=900, dark=False, media="", scripts=True):
        """Loads a file. Its console messages and requests are in `events` from here on."""
        self.call("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        self.call(
            "Emulation.setEmulatedMedia",
            media=media,
            features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}],
        )
        self.events = []
        self.call("Page.navigate", url="file://" + path)
        # An event of loading may be that of the page before.
        while self.evaluate("location.href + document.readyState") != f"file://{path}complete":
            time.sleep(0.01)
        if scripts:
            self.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done, 50)))")

    def evaluate(self, expression):
        answer = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"])
        return answer["result"].get("value")

    def press(self, key, code):
        for kind in ("keyDown", "keyUp"):
            self.call(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                code=key,
                windowsVirtualKeyCode=code,
                **({"text": "\r"} if key == "Enter" else {}),
            )

    def screenshot(self, path, whole=True):
        shot = self.call(
            "Page.captureScreenshot",
            format="png",
            captureBeyondViewport=whole,
            optimizeForSpeed=False,
        )
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot["data"]))

    def requests(self):
        """Addresses that were asked for, but for what is inside of the page (data:)."""
        asked = [
            e["params"]["request"]["url"]
            for e in self.events
            if e.get("method") == "Network.requestWillBeSent"
        ]
        return [url for url in asked if not url.startswith("data:")]

    def complaints(self):
        """The errors and warnings on the console."""
        said = [
            e["params"]["entry"]["text"]
            for e in self.events
            if e.get("method") == "Log.entryAdded"
            and e["params"]["entry"]["level"] in ("error", "warning")
        ]
        said += [
            str(e["params"]["args"])
            for e in self.events
            if e.get("method") == "Runtime.consoleAPICalled"
            and e["params"]["type"] in ("error", "warning", "assert")
        ]
        return said + [
            str(e["params"]) for e in self.events if e.get("method") == "Runtime.exceptionThrown"
        ]

    def close(self):
        self.process.terminate()
        self.process.wait(20)
        os.close(self.to_write)
        os.close(self.from_read)
        shutil.rmtree(self.profile, ignore_errors=True)
