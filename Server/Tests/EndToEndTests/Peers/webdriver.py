"""Chromium with WebDriver's virtual authenticator, spoken to by plain HTTP (W3C WebDriver; WebAuthn §11)."""

import base64
import http.server
import json
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
# What is wrong only while a page comes or goes.
PASSING = ("stale element reference", "no such element", "element not interactable", "element click intercepted", "javascript error")


class WebDriverError(Exception):
    """What the driver answered instead of doing it."""

    def __init__(self, kind, message):
        super().__init__(f"{kind}: {message}")
        self.kind = kind


class Callback(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"back in the app")

    def log_message(self, *_):
        pass


def app():
    """Serves an app's redirect URI on the loopback interface, and returns it."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Callback)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/callback"


class Chromium:
    """One browser without a window, with an authenticator whose person is there and is recognized."""

    def __init__(self):
        self.profile = tempfile.mkdtemp(prefix="chromium-")
        self.driver = subprocess.Popen(
            ["chromedriver", "--port=0"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
        self.session = None
        self.scheme = None
        try:
            self.base = self.listening()
            options = {
                "args": [
                    "--headless=new",
                    "--no-sandbox",
                    "--disable-gpu",
                    "--disable-dev-shm-usage",
                    f"--user-data-dir={self.profile}",
                ]
            }
            answer = self.call(
                "POST", "/session", {"capabilities": {"alwaysMatch": {"browserName": "chrome", "goog:chromeOptions": options}}}
            )
            self.session = "/session/" + answer["sessionId"]
            self.authenticator = self.call(
                "POST",
                self.session + "/webauthn/authenticator",
                {
                    "protocol": "ctap2",
                    "transport": "internal",
                    "hasResidentKey": True,
                    "hasUserVerification": True,
                    "isUserConsenting": True,
                    "isUserVerified": True,
                },
            )
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        try:
            if self.session:
                self.call("DELETE", self.session)
        finally:
            # With whatever it started; and not by SIGTERM, which a parent may have had ignored for all of its children.
            os.killpg(self.driver.pid, signal.SIGKILL)
            self.driver.wait()
            shutil.rmtree(self.profile, ignore_errors=True)

    def listening(self):
        for line in self.driver.stdout:
            words = line.strip().rstrip(".").split()
            if "successfully" in words:
                return f"http://127.0.0.1:{words[-1]}"
        raise WebDriverError("not started", "chromedriver ended")

    def call(self, method, path, body=None):
        data = None if body is None and method != "POST" else json.dumps(body or {}).encode()
        request = urllib.request.Request(
            self.base + path, data=data, method=method, headers={"Content-Type": "application/json"}
        )
        try:
            with urllib.request.urlopen(request, timeout=300) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            value = json.load(error)["value"]
            raise WebDriverError(value["error"], value["message"]) from None

    def open(self, url):
        self.call("POST", self.session + "/url", {"url": url})

    @property
    def url(self):
        return self.call("GET", self.session + "/url")

    @property
    def text(self):
        return self.call("POST", self.session + "/execute/sync", {"script": "return document.body.innerText", "args": []})

    def run(self, script):
        return self.call("POST", self.session + "/execute/sync", {"script": script, "args": []})

    def find(self, selector):
        found = self.call(
            "POST", self.session + "/element", {"using": "css selector", "value": selector}
        )
        return f"{self.session}/element/{found[ELEMENT]}"

    def type(self, selector, text):
        self.call("POST", self.find(selector) + "/value", {"text": text})

    def click(self, selector):
        self.call("POST", self.find(selector) + "/click")

    def be_phone(self, width=390, height=844):
        """A viewport as a phone has."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 2, "mobile": True}
        self.devtools("Emulation.setDeviceMetricsOverride", metrics)

    def look(self, width, scheme):
        """Shows the page at a width, in a color scheme (`light` or `dark`), without loading it again."""
        metrics = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
        self.devtools("Emulation.setDeviceMetricsOverride", metrics)
        if scheme == self.scheme:
            return
        self.scheme = scheme
        # As on a phone, whose scrollbar takes no room.
        self.devtools("Emulation.setScrollbarsHidden", {"hidden": True})
        self.devtools("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def begin_documents_with(self, script):
        """Runs a script in every document from now on, before its own."""
        self.devtools("Page.addScriptToEvaluateOnNewDocument", {"source": script})

    def speak(self, language):
        """Asks for pages in a language, from the next one on."""
        self.devtools("Network.enable", {})
        self.devtools("Network.setExtraHTTPHeaders", {"headers": {"Accept-Language": language}})

    def devtools(self, command, parameters):
        return self.call("POST", self.session + "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def bottom(self, selector):
        """How far down the page an element ends, in CSS pixels."""
        found = json.dumps(selector)
        return self.run(
            f"return Math.ceil(document.querySelector({found}).getBoundingClientRect().bottom + window.scrollY)"
        )

    def credentials(self):
        return self.call("GET", f"{self.session}/webauthn/authenticator/{self.authenticator}/credentials")

    def verify_person(self, is_verified):
        path = f"{self.session}/webauthn/authenticator/{self.authenticator}/uv"
        self.call("POST", path, {"isUserVerified": is_verified})

    def console(self):
        """What the browser complained of: a policy that was broken, a script that failed."""
        return [entry["message"] for entry in self.call("POST", self.session + "/se/log", {"type": "browser"})]

    def complaints(self):
        """The same without what a refused form and a missing icon always give."""
        return [line for line in self.console() if "favicon" not in line and "status of 400" not in line]

    def at_the_app(self, redirect_uri):
        """Waits until the browser is back at the app. Returns the parameters that it brought."""
        self.until("the app", lambda: self.url.startswith(redirect_uri))
        return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.url).query))

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("GET", self.session + "/screenshot")))

    def whole_picture(self, path):
        """The page from top to bottom, as wide as it is shown."""
        size = self.run("const root = document.documentElement; return [root.clientWidth, root.scrollHeight]")
        clip = {"x": 0, "y": 0, "width": size[0], "height": size[1], "scale": 1}
        shot = self.devtools("Page.captureScreenshot", {"format": "png", "captureBeyondViewport": True, "clip": clip})
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot["data"]))

    def until(self, what, condition, limit=240):
        """Asks until it is so: a page that a script leaves is gone when it is gone."""
        end = time.monotonic() + limit
        while True:
            try:
                found = condition()
                if found:
                    return found
            except WebDriverError as error:
                if error.kind not in PASSING:
                    raise
            if time.monotonic() > end:
                raise AssertionError(f"{what} did not come: {self.url} {self.text[:600]}")
            time.sleep(0.05)
