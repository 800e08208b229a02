"""Chromium signs in to an app whose callback redirects to another origin, as brokers and moved sites do.

    chromium_way_back.py AUTHORIZATION_URL USERNAME OWN_SCHEME_URL      the password on standard input

The redirect URI in AUTHORIZATION_URL is a loopback address; its port becomes that of the callback here. The one in OWN_SCHEME_URL has the
scheme of an app that this computer does not have, so the browser stays where it is. Prints one JSON object: what the browser showed after
each button, and what it complained of.
"""

import http.server
import json
import sys
import threading
import urllib.parse

from webdriver import Chromium

url, username, own_scheme = sys.argv[1:4]
password = sys.stdin.readline().rstrip("\n")


def serve(onward=None):
    class Handler(http.server.BaseHTTPRequestHandler):
        def answer(self):
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            if onward and self.path.startswith("/callback"):
                self.send_response(302)
                self.send_header("Location", onward)
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            content = b"<title>home</title><h1>Home</h1>"
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = answer

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


home = f"http://localhost:{serve()}/home"
callback = f"http://127.0.0.1:{serve(home)}/callback"


def request(**changes):
    parts = urllib.parse.urlsplit(url)
    query = dict(urllib.parse.parse_qsl(parts.query), redirect_uri=callback, **changes)
    return parts._replace(query=urllib.parse.urlencode(query)).geturl()


def at_home(browser):
    return browser.until("the app's home", lambda: browser.url.startswith(home) and browser.find("h1") and browser.url)


def sign_in(browser, password=password):
    browser.type("#username", username)
    browser.type("#password", password)
    browser.click('button[value="sign_in"]')


seen = {}
with Chromium() as browser:
    browser.open(request())
    browser.click('button[value="cancel"]')
    seen["cancel"] = at_home(browser)
    browser.open(request(response_mode="form_post"))
    browser.click('button[value="cancel"]')
    seen["form_post"] = at_home(browser)
    browser.open(request())
    sign_in(browser)
    seen["sign_in"] = at_home(browser)
    browser.open(request(prompt="login"))
    sign_in(browser)
    seen["again"] = at_home(browser)
    browser.open(own_scheme)
    sign_in(browser, "a wrong password")
    browser.until("the error", lambda: browser.find("#notice"))
    browser.run("document.querySelector('#username').value = ''")
    sign_in(browser)
    # The link opens the app, so the address is what counts.
    address = "return document.querySelector('a.button').getAttribute('href')"
    seen["own_scheme"] = browser.until("the link to the app", lambda: browser.find("a.button") and browser.run(address))
    seen["left_behind"] = browser.text
    seen["forms"] = browser.run("return document.forms.length")
    seen["console"] = [line for line in browser.console() if "violates" in line]
print(json.dumps(seen))
