"""Chromium signs in by an identity provider on the hosted page, in a window as wide as a phone.

    chromium_provider.py AUTHORIZATION_URL REDIRECT_URI PROVIDER NEW_NAME      the password at the provider on standard input

It declines once, comes back without an account, reloads, makes one, and comes straight in the next time, as another visitor of the same
browser. Prints one JSON object of what was seen; a step that fails ends the program with a traceback and status 1.
"""

import json
import sys
import urllib.parse

from webdriver import Chromium

url, redirect_uri, provider, name = sys.argv[1:5]
password = sys.stdin.readline().rstrip("\n")


def leave(browser):
    browser.until("the provider's button", lambda: browser.find('button[name="provider"]'))
    browser.click('button[name="provider"]')
    browser.until("the provider", lambda: browser.url.startswith(provider) and browser.find("#sign-in"))


def sign_in_there(browser):
    browser.type('input[name="username"]', "ada")
    browser.type('input[name="password"]', password)
    browser.click("#sign-in")


seen = {}
with Chromium() as browser:
    browser.call("POST", browser.session + "/window/rect", {"width": 360, "height": 740})
    browser.open(url)
    seen["button"] = browser.run("return document.querySelector('button[name=provider]').innerText")

    # There and back by the browser's own button, and then once more.
    leave(browser)
    browser.call("POST", browser.session + "/back")
    leave(browser)
    browser.click("#decline")
    seen["declined"] = browser.until("the notice", lambda: browser.run("return document.getElementById('notice').innerText"))

    leave(browser)
    sign_in_there(browser)
    browser.until("the offer", lambda: browser.find('button[value="create_account"]'))
    seen["address"] = browser.url
    seen["offer"] = browser.text
    seen["suggested"] = browser.run("return document.getElementById('username').value")
    seen["label"] = browser.run("return document.getElementById('username').labels[0].innerText")
    seen["overflow"] = browser.run(
        "return Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)"
    )
    seen["console"] = browser.complaints()
    browser.call("POST", browser.session + "/refresh")
    seen["reloaded"] = browser.until("the notice", lambda: browser.run("return document.getElementById('notice').innerText"))

    leave(browser)
    sign_in_there(browser)
    browser.until("the offer", lambda: browser.find('button[value="create_account"]'))
    browser.run("document.getElementById('username').value = ''")
    browser.type("#username", name)
    browser.click('button[value="create_account"]')
    seen["first"] = browser.at_the_app(redirect_uri)

    # Another visitor: no session, and no known device.
    server = urllib.parse.urlsplit(url)
    browser.open(f"{server.scheme}://{server.netloc}/sandbox/outbox")
    browser.call("DELETE", browser.session + "/cookie")
    browser.open(url)
    leave(browser)
    sign_in_there(browser)
    seen["second"] = browser.at_the_app(redirect_uri)
print(json.dumps(seen))
