"""Chromium at the consent page of a partner's app, in a window as wide as a phone.

    chromium_client_consent.py AUTHORIZATION_URL REDIRECT_URI USERNAME      the password on standard input

Prints one JSON object of what was seen; a step that fails ends the program with a traceback and status 1.
"""

import json
import sys

from webdriver import Chromium

url, redirect_uri, username = sys.argv[1:4]
password = sys.stdin.readline().rstrip("\n")
with Chromium() as browser:
    browser.call("POST", browser.session + "/window/rect", {"width": 360, "height": 740})
    browser.open(url)
    browser.type("#username", username)
    browser.type("#password", password)
    browser.click('button[value="sign_in"]')
    browser.until("the consent page", lambda: browser.find('button[value="allow"]'))
    shown = browser.text
    overflow = browser.run("return Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)")
    browser.be_phone(375, 667)
    bottom = browser.bottom('button[value="allow"]')
    browser.click('button[value="allow"]')
    browser.until("the app", lambda: browser.url.startswith(redirect_uri))
    print(json.dumps({"shown": shown, "overflow": overflow, "bottom": bottom, "back": browser.url}))
