"""Chromium as wide and as high as a small phone, at a page that asks for a password without a sign-in.

    chromium_fold.py URL SELECTOR

Prints one JSON object: how far down the page the element ends, before and after a wrong password, and how wide the page overflows.
"""

import json
import sys

from webdriver import Chromium

url, selector = sys.argv[1:3]
with Chromium() as browser:
    browser.be_phone(375, 667)
    browser.open(url)
    browser.until("the element", lambda: browser.find(selector))
    bottom = browser.bottom(selector)
    browser.type("#password", "not the password")
    browser.click(selector)
    browser.until("the fault", lambda: browser.find("#notice"))
    overflow = browser.run("return Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)")
    print(json.dumps({"bottom": bottom, "bottomAfterFault": browser.bottom(selector), "overflow": overflow}))
