"""Chromium at the hosted pages: a person goes on and then Back, and reloads on the way.

    chromium_history.py ISSUER AUTHORIZATION_URL PAYMENT_LINK USERNAME      the password and another one, the lines of standard input

The redirect URI in AUTHORIZATION_URL is a loopback address; its port becomes that of the callback here. The payment's app has its own
scheme, which this computer does not have, so the browser stays where it is. Prints one JSON object: for each of the ways, what each page of
the history said, the latest first.
"""

import http.server
import json
import re
import sys
import threading
import urllib.parse
import urllib.request

from webdriver import Chromium

issuer, url, payment, username = sys.argv[1:5]
password, next_password = sys.stdin.read().splitlines()[:2]


class Callback(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        content = b"<title>home</title><h1>Home</h1>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Callback)
threading.Thread(target=server.serve_forever, daemon=True).start()
callback = f"http://127.0.0.1:{server.server_address[1]}/callback"


def request(**changes):
    parts = urllib.parse.urlsplit(url)
    query = dict(urllib.parse.parse_qsl(parts.query), redirect_uri=callback, **changes)
    return parts._replace(query=urllib.parse.urlencode(query)).geturl()


def sent_code():
    with urllib.request.urlopen(issuer + "/sandbox/outbox", timeout=120) as answer:
        return re.search(r"<code>([0-9]{6})</code>", answer.read().decode()).group(1)


def loaded(browser, move):
    """Moves on, and waits for another document. One that comes back from the browser's memory has the mark of another move."""
    loaded.moves += 1
    mark = f"page-{loaded.moves}"
    browser.run(f"document.documentElement.dataset.leaving = '{mark}'")
    move()
    browser.until(
        "another page",
        lambda: browser.run(
            f"return document.readyState === 'complete' && document.documentElement.dataset.leaving !== '{mark}'"
        ),
    )


loaded.moves = 0


def press(browser, button, **fields):
    for name, value in fields.items():
        browser.run(f"document.querySelector('[name={name}]').value = ''")
        browser.type(f"[name={name}]", value)
    loaded(browser, lambda: browser.click(f'button[value="{button}"]'))


def reload(browser):
    loaded(browser, lambda: browser.call("POST", browser.session + "/refresh"))


def back(browser, times):
    """What each page says on the way back."""
    seen = []
    for _ in range(times):
        loaded(browser, lambda: browser.call("POST", browser.session + "/back"))
        seen.append(browser.text)
    return seen


def at_home(browser):
    return browser.until("the app's home", lambda: browser.url.startswith(callback) and browser.find("h1"))


seen = {}
with Chromium() as browser:
    browser.open(payment)
    press(browser, "agree", password="a wrong password")
    for _ in range(6):
        reload(browser)
    seen["reloaded"] = browser.text
    press(browser, "agree", password=password)
    browser.until("the end", lambda: not browser.run("return document.forms.length"))
    reload(browser)
    seen["payment"] = [browser.text] + back(browser, 2)
    for _ in range(2):
        loaded(browser, lambda: browser.call("POST", browser.session + "/forward"))
        seen["payment"].append(browser.text)
with Chromium() as browser:
    browser.open(request())
    press(browser, "sign_in", username=username, password=password)
    press(browser, "answer_factor", answer=sent_code())
    at_home(browser)
    seen["faultless"] = back(browser, 1)
    loaded(browser, lambda: browser.click("a.button"))
    seen["onward"] = browser.text
with Chromium() as browser:
    browser.open(request())
    press(browser, "sign_in", username=username, password="a wrong password")
    press(browser, "sign_in", username=username, password=password)
    press(browser, "answer_factor", answer=sent_code())
    at_home(browser)
    seen["mistyped"] = back(browser, 3)
with Chromium() as browser:
    browser.open(issuer + "/account")
    press(browser, "sign_in", username=username, password=password)
    press(browser, "answer_factor", answer=sent_code())
    press(browser, "change_password")
    press(browser, "save_password", new_password=next_password, repeated_password=next_password)
    seen["changed"] = browser.text
    reload(browser)
    seen["changed_and_reloaded"] = browser.text
    seen["account"] = back(browser, 4)
print(json.dumps(seen))
