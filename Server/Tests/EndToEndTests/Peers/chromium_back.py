"""Chromium at the page of an operation: a person presses a button, and then Back.

    chromium_back.py LINK ACTION      the password on standard input

The app has its own scheme, which this computer does not have, so the browser stays where it is. Prints one JSON object: what Back showed, and
whether it still asks.
"""

import json
import sys

from webdriver import Chromium

link, action = sys.argv[1:3]
password = sys.stdin.readline().rstrip("\n")
# A page that the browser kept has its values; a page that the server sent again has none.
MARK = "window.isKept = true"

with Chromium() as browser:
    browser.open(link)
    browser.type("#password", password)
    browser.run(MARK)
    browser.click(f'button[value="{action}"]')
    browser.until("the end", lambda: not browser.run("return document.forms.length"))
    browser.call("POST", browser.session + "/back")
    browser.until("the link", lambda: browser.url == link)
    is_asking = browser.run("return document.forms.length > 0 || window.isKept === true")
    print(json.dumps({"text": browser.text, "isAsking": is_asking}))
